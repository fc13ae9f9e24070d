// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A discovery document with a few Drive methods.
enum SmallDiscovery {
    static let drive = #"""
        {
          "kind": "discovery#restDescription", "name": "drive", "version": "v3", "title": "Google Drive API",
          "rootUrl": "https://www.googleapis.com/", "servicePath": "drive/v3/", "batchPath": "batch/drive/v3",
          "schemas": {
            "File": {"id": "File", "type": "object", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}},
            "FileList": {"id": "FileList", "type": "object", "properties": {
              "files": {"type": "array", "items": {"$ref": "File"}}, "nextPageToken": {"type": "string"}
            }},
            "About": {"id": "About", "type": "object", "properties": {"kind": {"type": "string"}}}
          },
          "resources": {
            "about": {"methods": {
              "get": {"id": "drive.about.get", "path": "about", "httpMethod": "GET", "response": {"$ref": "About"},
                "description": "Gets information about the user.",
                "scopes": ["https://www.googleapis.com/auth/drive.readonly", "https://www.googleapis.com/auth/drive"]}
            }},
            "files": {"methods": {
              "list": {"id": "drive.files.list", "path": "files", "httpMethod": "GET", "response": {"$ref": "FileList"},
                "description": "Lists the user's files. There may be many of them.",
                "scopes": ["https://www.googleapis.com/auth/drive.readonly", "https://www.googleapis.com/auth/drive"],
                "parameters": {
                  "pageSize": {"type": "integer", "format": "int32", "location": "query", "default": "100",
                    "description": "How many files a page has. Fewer may come."},
                  "pageToken": {"type": "string", "location": "query"},
                  "q": {"type": "string", "location": "query", "description": "What is looked for."},
                  "corpora": {"type": "string", "location": "query", "enum": ["user", "domain"]},
                  "includeLabels": {"type": "string", "location": "query", "repeated": true},
                  "supportsAllDrives": {"type": "boolean", "location": "query", "default": "false"}
                }},
              "get": {"id": "drive.files.get", "path": "files/{fileId}", "httpMethod": "GET", "parameterOrder": ["fileId"],
                "description": "Gets a file's metadata or content by ID.", "response": {"$ref": "File"},
                "supportsMediaDownload": true,
                "scopes": ["https://www.googleapis.com/auth/drive.readonly", "https://www.googleapis.com/auth/drive"],
                "parameters": {"fileId": {"type": "string", "location": "path", "required": true,
                  "description": "The file's identifier."}}},
              "create": {"id": "drive.files.create", "path": "files", "httpMethod": "POST",
                "description": "Creates a file.", "request": {"$ref": "File"}, "response": {"$ref": "File"},
                "scopes": ["https://www.googleapis.com/auth/drive"], "supportsMediaUpload": true,
                "mediaUpload": {"protocols": {"simple": {"path": "/upload/drive/v3/files"},
                  "resumable": {"path": "/resumable/upload/drive/v3/files"}}}},
              "delete": {"id": "drive.files.delete", "path": "files/{fileId}", "httpMethod": "DELETE",
                "description": "Deletes a file for good.", "scopes": ["https://www.googleapis.com/auth/drive"],
                "parameters": {"fileId": {"type": "string", "location": "path", "required": true}}}
            }}
          }
        }
        """#
}
