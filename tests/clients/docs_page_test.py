#!/usr/bin/env python3
"""/docs in headless Chromium: it shows every route, its links lead somewhere, and it asks no other host."""

import html.parser
import json
import os
import re
import subprocess
import tempfile

import support
from support import Server

ADDRESS = re.compile(r"(?:https?:)?//[\w.-]+", re.IGNORECASE)


class Page(html.parser.HTMLParser):
    """Links, loaded assets, anchors and text of a page."""

    def __init__(self, text):
        super().__init__()
        self.links = []
        self.assets = []
        self.ids = set()
        self.texts = []
        self.inline = []  # style and script within the page
        self._within = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self._within = tag
        named = dict(attributes)
        self.ids.add(named.get("id"))
        for name, value in attributes:
            if name in ("src", "srcset", "data", "poster", "action") or (name == "href" and tag != "a"):
                self.assets.append(value)
            elif name == "href":
                self.links.append(value)
            elif name == "style" or name.startswith("on"):
                self.inline.append(value)

    def handle_endtag(self, tag):
        self._within = None

    def handle_data(self, text):
        (self.inline if self._within in ("style", "script") else self.texts).append(text)


class DocsPageTest(support.TestCase):
    def setUp(self):
        self.server = self.enterContext(Server())
        self.origin = f"http://127.0.0.1:{self.server.port}"

    def get(self, path):
        answer = self.server.ask("GET", path)
        self.assertEqual(answer.status, 200, f"{path}: {answer}")
        return answer.body.decode()

    def test_pages_and_assets_name_no_other_host(self):
        for path in ("/docs", "/problems", "/problems/idempotency-key-reused"):
            with self.subTest(path):
                page = Page(self.get(path))
                for asset in page.assets:
                    self.assertRegex(asset, "^/(?!/)", f"{path} loads {asset}")
                    text = self.get(asset)
                    self.assertNotRegex(text, ADDRESS, asset)
                    self.assertNotRegex(text, "@import|url\\(|importScripts|import\\(", asset)
                for link in page.links:
                    self.assertRegex(link, "^(/(?!/)|#)", f"{path} links to {link}")
                for text in page.inline:
                    self.assertNotRegex(text, ADDRESS)
        policy = self.server.ask("GET", "/docs").headers["Content-Security-Policy"]
        self.assertIn("default-src 'none'", policy)
        self.assertNotRegex(policy, "https?:|\\*|unsafe")

    def test_every_link_leads_somewhere(self):
        seen = set()
        waiting = ["/docs"]
        while waiting:
            path = waiting.pop()
            answer = self.server.ask("GET", path)
            self.assertEqual(answer.status, 200, path)
            if not answer.headers["Content-Type"].startswith("text/html"):
                continue
            page = Page(answer.body.decode())
            for link in page.links:
                target, _, fragment = link.partition("#")
                if fragment and not target:
                    self.assertIn(fragment, page.ids, f"{path} has no place {link}")
                if target and target not in seen:
                    seen.add(target)
                    waiting.append(target)
        self.assertGreater(len(seen), 5)

    def test_chromium_shows_every_route_and_asks_nobody_else(self):
        chromium = support.need("chromium")
        with tempfile.TemporaryDirectory(prefix="umavez-chromium-") as folder:
            log = os.path.join(folder, "net.json")
            ran = support.run_child(
                [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--no-first-run", "--disable-background-networking", "--disable-component-update",
                 "--disable-extensions", "--disable-sync", f"--user-data-dir={folder}/profile",
                 f"--log-net-log={log}", "--virtual-time-budget=5000", "--dump-dom", self.origin + "/docs"],
                seconds=3 * support.WAIT_SECONDS, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                env=os.environ | {"HOME": folder})
            self.assertEqual(ran.returncode, 0, ran.stderr[-2000:])
            asked = self.requests_of_the_page(log)

        self.assertIn(self.origin + "/docs", asked)
        self.assertIn(self.origin + "/docs/docs.css", asked)
        self.assertIn(self.origin + "/docs/docs.js", asked)
        self.assertEqual([url for url in asked if not url.startswith(self.origin + "/")], [])

        page = Page(ran.stdout)
        shown = " ".join(" ".join(page.texts).split())
        shown_count = 0
        for path, operations in json.loads(self.get("/openapi.json"))["paths"].items():
            for method, operation in operations.items():
                if isinstance(operation, dict) and "summary" in operation:
                    wanted = f"{method.upper()} {path} {operation['summary'].replace('`', '')}"
                    self.assertTrue(wanted in shown, f"{wanted} is not shown")
                    shown_count += 1
        self.assertGreater(shown_count, 20)
        # The script ran: it shows the search, which is hidden without it.
        search = re.search(r'<input id="search"[^>]*>', ran.stdout).group(0)
        self.assertNotIn("hidden", search)
        self.assertNotIn("Refused to", ran.stderr)

    def requests_of_the_page(self, path):
        """What the page asked for, from the network log; the browser's own housekeeping has no initiator of ours."""
        with open(path, encoding="utf-8") as file:
            text = file.read()
        log = json.loads(text)
        begin = log["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
        asked = set()
        for event in log["events"]:
            told = event.get("params", {})
            if event["type"] == begin and "url" in told:
                if told["url"].startswith(self.origin) or told.get("initiator") == self.origin:
                    asked.add(told["url"])
        return asked


if __name__ == "__main__":
    support.run_tests()
