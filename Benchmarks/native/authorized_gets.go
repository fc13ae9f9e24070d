// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// Sends small authorized GETs with net/http and golang.org/x/oauth2's transport. Prints the calls per second and the
// processor time of each call in microseconds.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/oauth2"
)

func main() {
	if len(os.Args) < 4 {
		log.Fatal("usage: authorized_gets URL IN-FLIGHT MILLISECONDS [CERTIFICATE [http2]]")
	}
	url := os.Args[1]
	inFlight, _ := strconv.Atoi(os.Args[2])
	milliseconds, _ := strconv.Atoi(os.Args[3])
	client := newClient(os.Args[4:])
	// The first calls open the connections.
	run(client, url, inFlight, time.Duration(milliseconds/4)*time.Millisecond)
	calls, elapsed, processor := run(client, url, inFlight, time.Duration(milliseconds)*time.Millisecond)
	fmt.Println(float64(calls)/elapsed.Seconds(), float64(processor.Nanoseconds())/1e3/float64(calls))
}

func newClient(options []string) *http.Client {
	transport := &http.Transport{MaxIdleConns: 128, MaxIdleConnsPerHost: 128}
	if len(options) > 0 {
		certificate, err := os.ReadFile(options[0])
		if err != nil {
			log.Fatal(err)
		}
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(certificate)
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
		transport.ForceAttemptHTTP2 = len(options) > 1 && options[1] == "http2"
	}
	token := &oauth2.Token{
		AccessToken: "ya29." + strings.Repeat("benchmark-", 20),
		Expiry:      time.Now().Add(time.Hour),
	}
	source := oauth2.ReuseTokenSource(token, oauth2.StaticTokenSource(token))
	return &http.Client{Transport: &oauth2.Transport{Source: source, Base: transport}}
}

// run makes inFlight concurrent calls and returns their number, elapsed time and processor time.
func run(client *http.Client, url string, inFlight int, duration time.Duration) (int64, time.Duration, time.Duration) {
	var calls int64
	var workers sync.WaitGroup
	before, start := processorTime(), time.Now()
	end := start.Add(duration)
	for i := 0; i < inFlight; i++ {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for time.Now().Before(end) {
				get(client, url)
				atomic.AddInt64(&calls, 1)
			}
		}()
	}
	workers.Wait()
	return calls, time.Since(start), processorTime() - before
}

func get(client *http.Client, url string) {
	request, err := http.NewRequest("GET", url, nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Accept", "application/json")
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 || len(body) == 0 {
		log.Fatal(response.Status, err)
	}
}

func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
