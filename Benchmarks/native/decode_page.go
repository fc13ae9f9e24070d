// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// Prints the time in milliseconds that encoding/json needs to decode a page of Drive files into structs with all
// members.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"
)

type file struct {
	Kind         string    `json:"kind"`
	ID           string    `json:"id"`
	Name         string    `json:"name"`
	MimeType     string    `json:"mimeType"`
	Starred      bool      `json:"starred"`
	Trashed      bool      `json:"trashed"`
	Parents      []string  `json:"parents"`
	Version      int64     `json:"version,string"`
	WebViewLink  string    `json:"webViewLink"`
	IconLink     string    `json:"iconLink"`
	CreatedTime  time.Time `json:"createdTime"`
	ModifiedTime time.Time `json:"modifiedTime"`
	Owners       []struct {
		Kind         string `json:"kind"`
		DisplayName  string `json:"displayName"`
		Me           bool   `json:"me"`
		PermissionID string `json:"permissionId"`
		EmailAddress string `json:"emailAddress"`
	} `json:"owners"`
	Capabilities struct {
		CanEdit     bool `json:"canEdit"`
		CanCopy     bool `json:"canCopy"`
		CanComment  bool `json:"canComment"`
		CanDownload bool `json:"canDownload"`
		CanShare    bool `json:"canShare"`
	} `json:"capabilities"`
	Md5Checksum        string `json:"md5Checksum"`
	Size               int64  `json:"size,string"`
	ImageMediaMetadata struct {
		Width        int     `json:"width"`
		Height       int     `json:"height"`
		ExposureTime float64 `json:"exposureTime"`
	} `json:"imageMediaMetadata"`
}

type page struct {
	Kind             string `json:"kind"`
	IncompleteSearch bool   `json:"incompleteSearch"`
	Files            []file `json:"files"`
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	result := testing.Benchmark(func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			var page page
			if err := json.Unmarshal(text, &page); err != nil || len(page.Files) != 1000 {
				b.Fatal(err, len(page.Files))
			}
		}
	})
	fmt.Println(float64(result.T.Nanoseconds()) / float64(result.N) / 1e6)
}
