# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Signs in to a running local provider with Google's Python libraries, and uses its Drive and Gmail.

Called by google-python-clients-check with the provider's JSON output and data directory. Prints a sentence for each
successful check. Exits with status 1 and a traceback at the first failure.
"""

import base64
import email.message
import hashlib
import html.parser
import http.cookiejar
import io
import json
import os
import pathlib
import sys
import threading
import urllib.parse
import urllib.request
import webbrowser

import google.auth.exceptions
import google.auth.transport.requests
import google.oauth2.credentials
import google.oauth2.id_token
import googleapiclient.discovery
import googleapiclient.discovery_cache
import googleapiclient.errors
import googleapiclient.http
from google_auth_oauthlib.flow import InstalledAppFlow

provider = json.loads(pathlib.Path(sys.argv[1]).read_text())
data = pathlib.Path(sys.argv[2])
base_url = provider["base_url"]

EMAIL = "https://www.googleapis.com/auth/userinfo.email"
DRIVE = "https://www.googleapis.com/auth/drive"
DRIVE_READONLY = "https://www.googleapis.com/auth/drive.readonly"
MAIL = "https://www.googleapis.com/auth/gmail.modify"
CALENDAR = "https://www.googleapis.com/auth/calendar.readonly"


def check(sentence, holds):
    """Prints the sentence of a successful check, or raises an error."""
    if not holds:
        raise AssertionError("Check failed: " + sentence)
    print("ok  " + sentence)


class Forms(html.parser.HTMLParser):
    """The form of a page: its action, fields and buttons."""

    def __init__(self, text):
        super().__init__()
        self.action, self.fields, self.buttons = None, [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form":
            self.action = attributes["action"]
        elif tag == "button":
            self.buttons.append((attributes["name"], attributes["value"]))
        elif tag == "input" and (attributes.get("type") != "checkbox" or "checked" in attributes):
            self.fields.append((attributes["name"], attributes["value"]))


class User(webbrowser.BaseBrowser):
    """A browser with a simulated user who selects an account and deselects some scopes."""

    def __init__(self, email, unticked=(), final_action="allow"):
        super().__init__()
        self.email, self.unticked, self.final_action = email, set(unticked), final_action
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def open(self, url, new=0, autoraise=True):
        threading.Thread(target=self.walk, args=(url,), daemon=True).start()
        return True

    def walk(self, url):
        page = self.opener.open(url)
        while page.url.startswith(base_url):
            text = page.read().decode()
            form = Forms(text)
            if any(name == "account" for name, _ in form.buttons):
                subject = [value for name, value in form.buttons if name == "account"]
                emails = [part.split("<")[0] for part in text.split('class="soft">')[1:]]
                button = ("account", subject[emails.index(self.email)])
            else:
                button = ("action", self.final_action)
            fields = [field for field in form.fields if field[1] not in self.unticked] + [button]
            page = self.opener.open(
                urllib.parse.urljoin(page.url, form.action), urllib.parse.urlencode(fields).encode()
            )


def sign_in(scopes, user, **parameters):
    webbrowser.register("tessera-check", None, user)
    flow = InstalledAppFlow.from_client_secrets_file(provider["client_secret_file"], scopes)
    return flow.run_local_server(
        host="127.0.0.1", port=0, browser="tessera-check", authorization_prompt_message=None, timeout_seconds=30,
        **parameters
    )


def service_of(name, version, credentials):
    """Builds an API from the library's discovery document with another root URL."""
    document = json.loads(googleapiclient.discovery_cache.get_static_doc(name, version))
    document["rootUrl"] = base_url + "/"
    return googleapiclient.discovery.build_from_document(document, credentials=credentials)


def drive(credentials):
    return service_of("drive", "v3", credentials)


def error_of(call):
    try:
        call()
    except (googleapiclient.errors.HttpError, google.auth.exceptions.GoogleAuthError) as error:
        return error
    return None


credentials = sign_in(["openid", EMAIL, DRIVE_READONLY], User("ada@example.com"))
check("InstalledAppFlow signs in with the client_secret.json that the provider wrote.", credentials.valid)
check("The desktop client gets a refresh token.", bool(credentials.refresh_token))
check(
    "The granted scopes are the requested ones, in Google's spelling.",
    set(credentials.granted_scopes) == {"openid", EMAIL, DRIVE_READONLY},
)
request = google.auth.transport.requests.Request()
claims = google.oauth2.id_token.verify_token(
    credentials.id_token, request, audience=provider["client_id"], certs_url=base_url + "/oauth2/v1/certs"
)
check(
    "google.oauth2.id_token verifies the ID token's signature, audience and times.",
    claims["iss"] == base_url and claims["email"] == "ada@example.com" and claims["email_verified"] is True,
)
claims = google.oauth2.id_token.verify_token(
    credentials.id_token, request, audience=provider["client_id"], certs_url=base_url + "/oauth2/v3/certs"
)
check("It also verifies the ID token with the JWKS.", claims["sub"] == "108204268033311374519")

service = drive(credentials)
about = service.about().get(fields="user(displayName,emailAddress)").execute()
check("about.get returns the user.", about["user"]["emailAddress"] == "ada@example.com")
error = error_of(lambda: service.about().get().execute())
check("about.get without fields is rejected, like by Google.", error is not None and error.status_code == 400)

listing = service.files().list(pageSize=1, fields="nextPageToken, files(id, name, size, md5Checksum)")
files = []
while listing is not None:
    page = listing.execute()
    files += page["files"]
    listing = service.files().list_next(listing, page)
check(
    "files.list returns the files of the data directory page by page and does not follow its symbolic link.",
    [file["name"] for file in files] == ["Plain text.txt", "Random bytes.bin"],
)
found = service.files().list(q="name = 'Random bytes.bin' and trashed = false").execute()["files"]
check("files.list finds a file by name.", [file["id"] for file in found] == [files[1]["id"]])

content = io.BytesIO()
downloader = googleapiclient.http.MediaIoBaseDownload(
    content, service.files().get_media(fileId=files[1]["id"]), chunksize=256 * 1024
)
done, chunks = False, 0
while not done:
    _, done = downloader.next_chunk()
    chunks += 1
original = (data / "Random bytes.bin").read_bytes()
check(f"MediaIoBaseDownload downloads the whole file in {chunks} ranges.", content.getvalue() == original and chunks == 3)
check("Its MD5 checksum matches files.list.", files[1]["md5Checksum"] == hashlib.md5(original).hexdigest())
error = error_of(lambda: service.files().get(fileId="nothing").execute())
check("An unknown file returns Google's 404.", error.status_code == 404 and "File not found" in error.reason)
error = error_of(lambda: service.files().create(body={"name": "x"}).execute())
check(
    "Creating a file without the scope returns Google's 403 with its typed detail.",
    error.status_code == 403
    and error.error_details[0].get("reason") in ("insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"),
)

old_token = credentials.token
credentials.refresh(request)
check("google.auth refreshes the access token.", credentials.token != old_token)
check("The refresh preserves the refresh token and the scopes.", set(credentials.granted_scopes) >= {DRIVE_READONLY})
stale = google.oauth2.credentials.Credentials(
    "expired",
    refresh_token=credentials.refresh_token,
    token_uri=credentials.token_uri,
    client_id=credentials.client_id,
    client_secret=credentials.client_secret,
)
check(
    "The library refreshes a rejected access token and retries the call.",
    len(drive(stale).files().list().execute()["files"]) == 2 and stale.token != "expired",
)

# By default, oauthlib reports an error if fewer scopes are granted than requested.
os.environ["OAUTHLIB_RELAX_TOKEN_SCOPE"] = "1"
user = User("ada@example.com", unticked=[CALENDAR])
writer = sign_in(["openid", EMAIL, DRIVE, CALENDAR], user, login_hint="ada@example.com")
check("A scope that the user deselects is not granted.", set(writer.granted_scopes) == {"openid", EMAIL, DRIVE})
service = drive(writer)
media = googleapiclient.http.MediaInMemoryUpload(b"written by Python\n", mimetype="text/plain")
created = service.files().create(
    body={"name": "From Python.txt", "description": "made by a check"}, media_body=media, fields="id,name,size,mimeType"
).execute()
check(
    "files.create uploads metadata and media in one request and returns the size as a string.",
    created["name"] == "From Python.txt" and created["size"] == "18" and created["mimeType"] == "text/plain",
)
check("The file is in the data directory.", (data / "From Python.txt").read_bytes() == b"written by Python\n")
check(
    "The file can be downloaded.",
    service.files().get_media(fileId=created["id"]).execute() == b"written by Python\n",
)
created = service.files().create(body={"name": "../../escape.txt"}, media_body=media).execute()
check(
    "A name that contains a path is unchanged, and the file is in the data directory.",
    created["name"] == "../../escape.txt" and not list(data.parent.glob("escape*"))
    and not list(data.parent.parent.glob("escape*")),
)

folder = service.files().create(
    body={"name": "Box", "mimeType": "application/vnd.google-apps.folder"}, fields="id"
).execute()["id"]
identifier = service.files().generateIds(count=1).execute()["ids"][0]
copy = service.files().copy(
    fileId=files[0]["id"], body={"id": identifier, "name": "Copy", "parents": [folder], "properties": {"a": "1"}}
).execute()
check("files.copy creates a file with the identifier from files.generateIds.", copy["id"] == identifier)
error = error_of(lambda: service.files().create(body={"id": identifier}).execute())
check("The identifier can be used only once.", error.status_code == 409)
patched = service.files().update(
    fileId=identifier, addParents="root", removeParents=folder, body={"properties": {"a": None}, "starred": True},
    fields="parents,starred,properties",
).execute()
check("files.update patches and moves.", patched == {"parents": ["root"], "starred": True})
query = f"starred = true and ('root' in parents or '{folder}' in parents) and modifiedTime > '2020-01-01T00:00:00'"
found = service.files().list(q=query, orderBy="folder,modifiedTime desc", spaces="drive").execute()["files"]
check("files.list supports queries with brackets, times and parents.", [file["id"] for file in found] == [identifier])
permission = service.permissions().create(
    fileId=identifier, body={"type": "user", "role": "reader", "emailAddress": "noor@tessera.example"}
).execute()
service.permissions().delete(fileId=identifier, permissionId=permission["id"]).execute()
results = []
batch = service.new_batch_http_request(callback=lambda name, response, error: results.append((name, response, error)))
batch.add(service.files().get(fileId=identifier, fields="name"), request_id="known")
batch.add(service.files().get(fileId="nothing"), request_id="unknown")
batch.add(service.files().update(fileId=identifier, body={"name": "By batch"}), request_id="patched")
batch.execute()
check(
    "A batch returns a result for each call by its identifier, and a single call can fail.",
    [name for name, _, _ in results] == ["known", "unknown", "patched"]
    and results[0][1] == {"name": "Copy"} and results[1][2].status_code == 404 and results[2][1]["name"] == "By batch",
)
service.files().update(fileId=identifier, body={"trashed": True}).execute()
service.files().emptyTrash().execute()
error = error_of(lambda: service.files().get(fileId=identifier).execute())
check("Emptying the trash deletes its files.", error.status_code == 404)

mail = service_of("gmail", "v1", sign_in([MAIL], User("ada@example.com"), login_hint="ada@example.com"))
message = email.message.EmailMessage()
message["To"], message["Subject"] = "ada@example.com", "Grüße aus Python"
message.set_content("Schöne Grüße\n", cte="quoted-printable")
message.add_attachment(b"1,2\n", maintype="text", subtype="csv", filename="a.csv")
raw = base64.urlsafe_b64encode(message.as_bytes()).decode()
sent = mail.users().messages().send(userId="me", body={"raw": raw}).execute()
found = mail.users().messages().list(userId="me", q="in:inbox subject:grüße has:attachment").execute()["messages"]
check("Mail to an account of the provider arrives in its inbox.", [item["id"] for item in found] == [sent["id"]])
whole = mail.users().messages().get(userId="me", id=sent["id"]).execute()
text = base64.urlsafe_b64decode(whole["payload"]["parts"][0]["body"]["data"]).decode()
attachment = whole["payload"]["parts"][1]["filename"]
check("The message contains the text and the attachment.", text.strip() == "Schöne Grüße" and attachment == "a.csv")
media = googleapiclient.http.MediaInMemoryUpload(message.as_bytes(), mimetype="message/rfc822")
again = mail.users().messages().send(userId="me", body={"threadId": sent["threadId"]}, media_body=media).execute()
check("An uploaded message is added to the specified thread.", again["threadId"] == sent["threadId"])
label = mail.users().labels().create(userId="me", body={"name": "Python"}).execute()["id"]
mail.users().messages().modify(userId="me", id=sent["id"], body={"addLabelIds": [label]}).execute()
responses = []
batch = mail.new_batch_http_request(callback=lambda name, response, error: responses.append(response))
batch.add(mail.users().messages().list(userId="me", labelIds=[label]))
batch.add(mail.users().getProfile(userId="ada@example.com"))
batch.execute()
check(
    "A Gmail batch finds messages by label.",
    [item["id"] for item in responses[0]["messages"]] == [sent["id"]] and responses[1]["messagesTotal"] == 3,
)

try:
    sign_in(["openid", EMAIL], User("noor@tessera.example", final_action="cancel"), prompt="consent")
    canceled = False
except Exception as error:
    canceled = "access_denied" in str(error)
check("Canceling the sign-in returns access_denied.", canceled)

response = urllib.request.urlopen(
    base_url + "/revoke", urllib.parse.urlencode({"token": credentials.refresh_token}).encode()
)
check("Revocation returns 200.", response.status == 200)
error = error_of(lambda: credentials.refresh(request))
check("After revocation, a refresh fails with invalid_grant.", error is not None and "invalid_grant" in str(error))
print("Google's Python clients work with the local provider.")
