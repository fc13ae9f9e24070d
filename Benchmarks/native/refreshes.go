// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// Prints the refreshes per second of golang.org/x/oauth2 and the processor time of each in microseconds, for several
// concurrent token sources whose tokens expire immediately.
//
// usage: refreshes ISSUER|instant SOURCES MILLISECONDS
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/oauth2"
)

// instant responds to every refresh with rotated tokens.
type instant struct{}

func (instant) RoundTrip(request *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, request.Body); err != nil {
		return nil, err
	}
	filler := strings.Repeat("benchmark-", 20)
	body := `{"access_token": "ya29.1.` + filler + `", "token_type": "Bearer", "expires_in": 5, "refresh_token": "1//` + filler + `"}`
	return &http.Response{
		StatusCode: 200,
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       io.NopCloser(strings.NewReader(body)),
		Request:    request,
	}, nil
}

func processorTime() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e3
}

func main() {
	issuer := os.Args[1]
	sources, _ := strconv.Atoi(os.Args[2])
	milliseconds, _ := strconv.Atoi(os.Args[3])
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: sources}}
	if issuer == "instant" {
		client.Transport = instant{}
		issuer = "https://accounts.example"
	}
	context := context.WithValue(context.Background(), oauth2.HTTPClient, client)
	config := oauth2.Config{
		ClientID: "benchmark",
		Endpoint: oauth2.Endpoint{TokenURL: issuer + "/token", AuthStyle: oauth2.AuthStyleInParams},
	}
	counts := make([]int, sources)
	work, start := processorTime(), time.Now()
	end := start.Add(time.Duration(milliseconds) * time.Millisecond)
	var group sync.WaitGroup
	for number := range counts {
		group.Add(1)
		go func(number int) {
			defer group.Done()
			source := config.TokenSource(context, &oauth2.Token{RefreshToken: "1//benchmark"})
			for time.Now().Before(end) {
				if _, err := source.Token(); err != nil {
					panic(err)
				}
				counts[number]++
			}
		}(number)
	}
	group.Wait()
	elapsed, refreshes := time.Since(start).Seconds(), 0
	for _, count := range counts {
		refreshes += count
	}
	fmt.Println("refreshes", float64(refreshes)/elapsed, (processorTime()-work)/float64(refreshes))
}
