"""A classifier for `board activity --watch --json | python3 -u classifier.py | agent-board moderate`."""

import json
import re
import sys

SPAM = re.compile(r"\bbuy .{1,40} now\b", re.IGNORECASE)

for line in sys.stdin:
    post = json.loads(line)
    if not post["hidden"] and SPAM.search(f"{post.get('title', '')}\n{post['body']}"):
        print(json.dumps({"action": "hide", "post": post["id"], "reason": "Spam."}), flush=True)
