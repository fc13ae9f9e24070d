// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// Prints the time in nanoseconds that golang.org/x/oauth2's ReuseTokenSource needs to return a fresh token.
package main

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/oauth2"
)

func main() {
	source := oauth2.ReuseTokenSource(&oauth2.Token{AccessToken: "t", Expiry: time.Now().Add(time.Hour)}, nil)
	result := testing.Benchmark(func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			if _, err := source.Token(); err != nil {
				b.Fatal(err)
			}
		}
	})
	fmt.Println(float64(result.T.Nanoseconds()) / float64(result.N))
}
