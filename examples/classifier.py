"""A classifier for `board activity --watch --json`: it prints the id of each post that is to be hidden."""

import json
import re
import sys

SPAM = re.compile(r"\bbuy .{1,40} now\b", re.IGNORECASE)

for line in sys.stdin:
    post = json.loads(line)
    if not post["hidden"] and SPAM.search(f"{post.get('title', '')}\n{post['body']}"):
        print(post["id"], flush=True)
