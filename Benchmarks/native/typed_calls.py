# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Makes small typed calls with Google's Python client and prints their total time in seconds.

usage: typed_calls.py ROOT-URL COUNT IN-FLIGHT

Each thread has its own httplib2 connection, as google-api-python-client's guide on thread safety recommends.
"""
import concurrent.futures
import sys
import threading
import time

import google.oauth2.credentials
import google_auth_httplib2
import httplib2
from googleapiclient.discovery import build

root, count, in_flight = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
credentials = google.oauth2.credentials.Credentials("ya29.benchmark")
drive = build("drive", "v3", credentials=credentials, static_discovery=True, client_options={"api_endpoint": root + "/drive/v3/"})
local = threading.local()


def call(_=None):
    if not hasattr(local, "http"):
        local.http = google_auth_httplib2.AuthorizedHttp(credentials, http=httplib2.Http())
    assert drive.files().get(fileId="small").execute(http=local.http)["name"]


with concurrent.futures.ThreadPoolExecutor(in_flight) as threads:
    # The first calls open the connections.
    list(threads.map(call, range(4 * in_flight)))
    start = time.perf_counter()
    list(threads.map(call, range(count)))
    print(time.perf_counter() - start)
