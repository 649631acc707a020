"""What a reader does with an HTML report, done in Chromium. Prints a line for each check: its name, a tab, what is wrong.

Every page is watched while a check runs: a message on the console, a request to anywhere, a dialog, a new window and an
error are failures, whatever else the check looks at.
"""

import json
import os
import sys
import time
import traceback
import urllib.parse

from playwright.sync_api import sync_playwright

FOLDER = sys.argv[1]
with open(os.path.join(FOLDER, "corpus.json")) as file:
    CORPUS = json.load(file)
RACE = "e92589b9b3d3714f"
RULES = {
    "data race": RACE,
    "high-level data race": "bf8807a177c17ccb",
    "stale value": "461d6a96b83dcbcf",
    "non-atomic block": "dae18066b81eddb9",
    "lock-order cycle": "d62759f507416701",
}


def address(report, route=""):
    return "file://" + urllib.parse.quote(os.path.join(FOLDER, report + ".html")) + route


class Watched:
    """A browser window with one report in it."""

    def __init__(self, browser, **options):
        self.context = browser.new_context(viewport={"width": options.pop("width", 1280), "height": 900}, **options)
        self.context.set_default_timeout(15_000)
        self.wrong = []
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.wrong.append("console: " + message.text))
        self.page.on("pageerror", lambda error: self.wrong.append("error: " + str(error)))
        self.page.on("dialog", lambda dialog: self.wrong.append("dialog: " + dialog.message))
        self.context.on("page", lambda page: self.wrong.append("window: " + page.url))
        self.page.on("request", self.request)

    def request(self, request):
        if not request.url.startswith(address("")[: -len(".html")]) or ".html" not in request.url:
            self.wrong.append("request: " + request.url)

    def open(self, report, route=""):
        self.page.goto("about:blank")
        self.page.goto(address(report, route))
        return self.page

    def close(self):
        self.context.close()
        assert not self.wrong, self.wrong


def state(finding):
    return "suppressed" if "suppressed" in finding else "known" if finding["baseline"] else "open"


def expected(test=lambda finding: True, states=("open",)):
    """How many findings of the corpus are in such a state and pass a test; never none."""
    count = sum(1 for finding in CORPUS["findings"] if state(finding) in states and test(finding))
    assert count > 0
    return count


ALL = ("open", "known", "suppressed")


def rows(page):
    return page.locator(".list .row").count()


def until(page, condition):
    """Waits for a condition. Playwright's own way has the page evaluate a string, which its content policy forbids."""
    for _ in range(300):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError("never came true: " + condition)


def route(page):
    return urllib.parse.urlsplit(page.url).fragment


def a_choice_narrows_the_list_and_stands_in_the_address(watch):
    page = watch().open("corpus")
    assert rows(page) == expected()
    is_race = lambda finding: finding["rule"] == "data-race"
    page.get_by_label("Rule").select_option("data-race")
    assert rows(page) == expected(is_race) < expected() and "rule=data-race" in route(page), route(page)
    assert "Account.balance" in page.locator(".row").first.inner_text()
    page.get_by_label("State").select_option("")
    assert rows(page) == expected(is_race, ALL) > expected(is_race)
    page.get_by_label("Confidence").select_option("low")
    low = expected(lambda finding: is_race(finding) and finding["confidence"] == "low", ALL)
    assert rows(page) == low
    # The same address shows the same list.
    page = watch().open("corpus", "#" + route(page))
    assert rows(page) == low
    assert page.get_by_label("Confidence").input_value() == "low"
    page.get_by_role("button", name="Clear the filter").first.click()
    assert rows(page) == expected() and route(page) == "/", route(page)
    page.get_by_label("Owner").select_option("@acme/stock")
    assert rows(page) == expected(lambda finding: "@acme/stock" in finding.get("owners", []))
    page.get_by_label("Owner").select_option("")
    page.get_by_label("Detector").select_option("views")
    assert rows(page) == expected(lambda finding: "views" in finding["detectors"])
    assert "Coord" in page.locator(".row").first.inner_text()


def a_search_finds_names_and_places(watch):
    page = watch().open("corpus")
    has = lambda *words: lambda finding: all(word.lower() in json.dumps(finding).lower() for word in words)
    for text in ["account.balance TELLER-2", "TELLER-2", "Coord.java", RACE, "BankTest", "plotter"]:
        page.get_by_label("Search").fill(text)
        assert rows(page) == expected(has(*text.split())), (text, rows(page))
    page.get_by_label("Search").fill("")
    assert rows(page) == expected()
    page.get_by_label("Search").fill("no such")
    assert rows(page) == 0 and page.get_by_text("No finding fits.").is_visible()


def a_finding_opens_and_the_list_is_as_it_was_afterwards(watch):
    page = watch().open("many")
    page.get_by_label("Search").fill("class0")
    page.evaluate("window.scrollTo(0, 20000)")
    page.wait_for_timeout(100)
    before = page.evaluate("window.scrollY")
    link = page.locator(".row a").nth(20)
    text = link.inner_text()
    link.click()
    page.wait_for_selector("article h1")
    assert route(page).startswith("/finding/"), route(page)
    assert page.evaluate("window.scrollY") == 0
    assert page.evaluate("document.activeElement.tagName") == "H1"
    assert page.title().endswith("Raddle") and "Class0" in page.title()
    page.go_back()
    page.wait_for_selector(".list .row")
    assert page.get_by_label("Search").input_value() == "class0"
    assert abs(page.evaluate("window.scrollY") - before) < 100, (before, page.evaluate("window.scrollY"))
    assert page.evaluate("document.activeElement.innerText") == text


def a_finding_can_be_linked(watch):
    page = watch().open("corpus", "#/finding/" + RACE)
    assert page.locator("h1").inner_text() == "com.acme.Account.balance"
    page.get_by_role("button", name="Next").click()
    until(page, "!location.hash.includes('%s')" % RACE)
    assert page.get_by_text("2 of %d" % expected()).is_visible()
    for bad in ["#/finding/0000", "#/finding/%E0%A4%A", "#/finding/~99", "#/finding/__proto__"]:
        page = watch().open("corpus", bad)
        assert page.locator("h1").inner_text() == "Not in this report", bad


def the_keyboard_is_enough(watch):
    page = watch().open("corpus")
    focus = lambda: page.evaluate("document.activeElement.id || document.activeElement.dataset.row || document.activeElement.tagName")
    page.keyboard.press("/")
    until(page, "document.activeElement.id === 'filter-q'")
    page.keyboard.type("geo.coord")
    assert 0 < rows(page) < expected()
    page.keyboard.press("Escape")
    assert page.get_by_label("Search").input_value() == "" and rows(page) == expected()
    page.keyboard.press("ArrowDown")
    assert focus() == "0", focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert focus() == "1", focus()
    page.keyboard.press("End")
    assert focus() == str(expected() - 1), focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    page.wait_for_selector("article h1")
    assert "Account" in page.locator("h1").inner_text()
    page.keyboard.press("j")
    page.wait_for_selector("text=/^2 of %d$/" % expected())
    page.keyboard.press("k")
    page.wait_for_selector("text=/^1 of %d$/" % expected())
    page.keyboard.press("Escape")
    page.wait_for_selector(".list .row")
    assert focus() == "0", focus()
    # From one control to the next, none left out and no trap: round the whole page.
    seen = []
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.id || document.activeElement.textContent.slice(0, 20)"))
    for wanted in ["theme", "filter-q", "filter-rule", "filter-state", "Raddle"]:
        assert wanted in seen, (wanted, seen)


def the_theme_follows_the_system_and_the_switch(watch):
    def dark(page):
        return page.evaluate("""() => {
            const canvas = document.createElement("canvas").getContext("2d");
            canvas.fillStyle = getComputedStyle(document.body).backgroundColor;
            canvas.fillRect(0, 0, 1, 1);
            return canvas.getImageData(0, 0, 1, 1).data[0] < 100;
        }""")
    for scheme in ["light", "dark"]:
        page = watch(color_scheme=scheme).open("corpus")
        assert dark(page) == (scheme == "dark"), scheme
        switch = page.locator("#theme")
        switch.click()
        assert not dark(page) and "light" in switch.inner_text()
        page.keyboard.press("t")
        assert dark(page) and "dark" in switch.inner_text()
        page.reload()
        assert dark(page), "the choice is kept"
        switch.click()
        assert dark(page) == (scheme == "dark") and "auto" in switch.inner_text()


def every_rule_has_its_pictures(watch):
    window = watch()
    for rule, fingerprint in RULES.items():
        page = window.open("corpus", "#/finding/" + fingerprint)
        assert page.locator(".kind .rule").inner_text() == rule
        threads = page.locator("table.interleaving thead th").count() - 1
        moments = page.locator("table.interleaving tbody tr").count()
        assert threads >= 2 and moments >= 3, (rule, threads, moments)
        assert page.locator("svg.lanes .lane").count() == threads, rule
        assert page.locator("svg.lanes .dot").count() == moments, rule
        picture = {
            "data race": ("table.steps tbody tr", 2),
            "high-level data race": ("table.matrix tbody tr", 3),
            "stale value": (".line-of-points li", 4),
            "non-atomic block": (".movers li", 4),
            "lock-order cycle": ("svg.cycle .edge", 2),
        }[rule]
        assert page.locator(picture[0]).count() >= picture[1], (rule, page.locator(picture[0]).count())
        for heading in ["How it happens", "How to fix it", "How to silence it"]:
            assert page.get_by_role("heading", name=heading).is_visible(), (rule, heading)
        assert fingerprint in page.locator(".facts").inner_text()
        assert "[[suppress]]" in page.locator(".snippet").inner_text()
    page = window.open("corpus", "#/finding/" + RACE)
    assert page.locator("svg.lanes .bar").count() >= 1
    assert page.locator("svg.lanes .unordered").count() == 1
    page = window.open("corpus", "#/finding/" + RULES["high-level data race"])
    assert page.locator("svg.lanes .arrow").count() >= 2


def source_is_quoted_and_its_line_is_marked(watch):
    page = watch().open("corpus", "#/finding/" + RACE)
    sources = page.locator(".source")
    assert sources.count() == 2
    first = sources.first
    assert first.locator(".path").get_attribute("title") == "src/main/java/com/acme/Account.java:16"
    assert first.locator(".path b").inner_text() == "Account.java:16"
    assert first.locator(".number").all_inner_texts() == [str(line) for line in range(13, 20)]
    assert first.locator(".number.here").inner_text() == "16"
    assert first.locator(".text.here").text_content() == "    int line16 = 16; // <b>Account</b> & co"


def calls_in_libraries_are_folded_and_can_be_unfolded(watch):
    page = watch().open("deep")
    page.locator(".row a").click()
    calls = page.locator(".side").first.locator(".stack li:not(:has(.fold))")
    assert calls.count() == 60
    visible = lambda: sum(1 for call in calls.all() if call.is_visible())
    assert visible() == 6, visible()
    fold = page.locator(".fold").first
    assert fold.get_attribute("aria-expanded") == "false" and fold.inner_text() == "5 calls in libraries"
    fold.click()
    assert visible() == 11 and fold.get_attribute("aria-expanded") == "true"
    fold.click()
    assert visible() == 6
    page.get_by_role("button", name="more calls").click()
    assert visible() == 6 + 24, visible()


def what_else_was_seen_can_be_looked_at(watch):
    page = watch().open("corpus", "#/finding/" + RACE)
    box = page.locator("details", has_text="by racer")
    assert box.locator(".side").count() == 0
    box.locator("summary").click()
    box.locator(".side").first.wait_for()
    assert box.locator(".side").count() == 2


def known_and_suppressed_findings_are_there_and_say_why(watch):
    page = watch().open("corpus")
    page.get_by_label("State").select_option("suppressed")
    assert rows(page) == expected(states=("suppressed",))
    page.locator(".row", has_text="lock-order cycle").click()
    assert page.get_by_text("transfers are made by one clerk only").is_visible()
    page = watch().open("corpus", "#/?state=known")
    assert rows(page) == expected(states=("known",)) and "int[]" in page.locator(".list").inner_text()


def gaps_are_never_hidden(watch):
    gaps = "%d gaps" % len(CORPUS["gaps"])
    page = watch().open("corpus")
    assert page.locator(".notice", has_text=gaps).is_visible()
    page.get_by_label("Search").fill("nothing like this")
    assert page.locator(".notice", has_text=gaps).is_visible()
    assert gaps in page.locator("#nav").inner_text()
    page.get_by_role("link", name="See what").click()
    assert route(page) == "/coverage"
    # The page follows the address a moment later.
    page.locator("main", has_text="class com.acme.Native").wait_for()
    text = page.locator("main").inner_text()
    for part in ["class com.acme.Native", "it is native", "it still runs", "640", "raddle.toml:21", "com.acme.Fixed.field"]:
        assert part in text, part


def a_clean_report_says_so(watch):
    page = watch().open("clean")
    assert page.locator("h1").inner_text() == "No findings"
    assert "1,234,567 events" in page.locator("main").inner_text()
    page.get_by_role("link", name="Coverage").click()
    # The page follows the address a moment later.
    page.get_by_role("heading", name="No gaps").wait_for()


def ten_thousand_findings_can_be_scrolled_and_searched(watch):
    started = time.time()
    page = watch().open("many")
    page.wait_for_selector(".list .row")
    opened = time.time() - started
    assert opened < 10, opened
    assert "10,000 findings" in page.locator("h1").inner_text()
    assert rows(page) < 80, rows(page)
    seen = set()
    for _ in range(30):
        page.mouse.wheel(0, 20_000)
        page.wait_for_timeout(30)
        assert 0 < rows(page) < 80, rows(page)
        seen.update(page.locator(".row a").evaluate_all("links => links.map((link) => link.dataset.row)"))
    assert len(seen) > 300, len(seen)
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    page.wait_for_selector(".row a[data-row='9999']")
    assert page.locator(".row").last.get_attribute("aria-posinset") == "10000"
    assert page.locator(".row").last.get_attribute("aria-setsize") == "10000"
    started = time.time()
    page.get_by_label("Search").fill("class07777")
    until(page, "document.querySelectorAll('.row').length === 1")
    assert time.time() - started < 5, time.time() - started
    page.locator(".row a").press("Enter")
    page.wait_for_selector("article h1")
    assert "Class07777" in page.locator("h1").inner_text()


def hostile_names_do_nothing(watch):
    window = watch()
    page = window.open("hostile", "#/?state=")
    assert rows(page) >= 20
    count = int(page.locator(".found").inner_text().split()[0])
    assert count == 50, count
    # Every finding, every fold of it, and the gaps.
    page.locator(".row a").first.click()
    for number in range(count):
        page.wait_for_selector("text=/^%d of 50$/" % (number + 1))
        page.evaluate("document.querySelectorAll('details').forEach((box) => { box.open = true; })")
        assert page.evaluate("document.querySelectorAll('main script, main img, main iframe, main a[href^=\"javascript\" i]').length") == 0
        page.keyboard.press("j")
    page.evaluate("location.hash = '#/coverage'")
    page.wait_for_selector(".rows")
    for text in ["</script><script>", "onerror", "https://evil"]:
        page.evaluate("location.hash = '#/?q=' + encodeURIComponent(%r)" % text)
        page.wait_for_selector(".found")
        assert rows(page) > 0, text
    assert page.evaluate("window.harmed") is None
    assert page.evaluate("document.querySelectorAll('script').length") == 2


def a_narrow_window_shows_everything(watch):
    window = watch(width=400)
    for report, where in [("corpus", "#/"), ("corpus", "#/coverage"), ("hostile", "#/"), ("many", "#/")] + [("corpus", "#/finding/" + one) for one in RULES.values()]:
        page = window.open(report, where)
        page.wait_for_selector("h1")
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 400, (report, where, wide)


CONTRAST = """() => {
    const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
    const rgba = (color) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const over = (top, below) => top.slice(0, 3).map((c, i) => c * (top[3] / 255) + below[i] * (1 - top[3] / 255)).concat(255);
    const behind = (node) => {
        const layers = [];
        for (let at = node; at instanceof Element; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
        return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 255]);
    };
    const found = [];
    for (const node of document.querySelectorAll("body *")) {
        const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim() !== "");
        const box = node.getBoundingClientRect();
        if (!own || box.width < 2 || box.height < 2 || node.closest("svg, script, :disabled, .unseen, .skip")) continue;
        const back = behind(node);
        const [a, b] = [light(over(rgba(getComputedStyle(node).color), back)), light(back)].sort((x, y) => y - x);
        const ratio = (a + 0.05) / (b + 0.05);
        if (ratio < 4.5) found.push(`${node.className}: ${node.textContent.slice(0, 30)}: ${ratio.toFixed(2)}`);
    }
    return found;
}"""

NAMELESS = """() => [...document.querySelectorAll("a, button, input, select, summary, [tabindex='0']")].filter((node) =>
    !node.closest(".unseen") && !(node.textContent.trim() || node.getAttribute("aria-label") || node.labels?.length)).map((node) => node.outerHTML.slice(0, 80))"""


def text_has_contrast_and_controls_have_names(watch):
    for scheme in ["light", "dark"]:
        window = watch(color_scheme=scheme)
        for where in ["#/?state=", "#/coverage"] + ["#/finding/" + one for one in RULES.values()]:
            page = window.open("corpus", where)
            page.evaluate("document.querySelectorAll('details').forEach((box) => { box.open = true; })")
            page.wait_for_timeout(200)
            assert page.evaluate(CONTRAST) == [], (scheme, where, page.evaluate(CONTRAST))
            assert page.evaluate(NAMELESS) == [], (scheme, where, page.evaluate(NAMELESS))
            assert page.locator("h1").count() == 1 and page.locator("main").count() == 1
            twice = page.evaluate("() => { const ids = [...document.querySelectorAll('[id]')].map((node) => node.id); return ids.filter((id, i) => ids.indexOf(id) !== i); }")
            assert twice == [], twice


def on_paper_every_finding_and_every_fold_is_there(watch):
    page = watch().open("many", "#/?rule=data-race")
    assert rows(page) < 80
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert rows(page) == 2000, rows(page)
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert rows(page) < 80
    page = watch().open("deep")
    page.locator(".row a").click()
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert not page.locator("header.top").is_visible() and not page.locator(".around").is_visible()
    calls = page.locator(".stack li:not(:has(.fold))")
    assert all(call.is_visible() for call in calls.all()), "a call is folded"
    assert len(page.pdf()) > 10_000
    page = watch().open("corpus", "#/finding/" + RACE)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details .side").count() >= 4, "what else was seen is on paper too"
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == 0


def without_javascript_there_is_a_list(watch):
    page = watch(java_script_enabled=False).open("corpus")
    text = page.locator("body").inner_text()
    for part in ["%d findings" % expected(), "data race on com.acme.Account.balance", "teller-1 writes", "Not watched", "class com.acme.Native"]:
        assert part in text, (part, text)


def main():
    checks = [value for name, value in globals().items() if callable(value) and getattr(value, "__code__", None) and value.__code__.co_varnames[:1] == ("watch",)]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
        for check in checks:
            windows = []

            def watch(**options):
                windows.append(Watched(browser, **options))
                return windows[-1]

            wrong = ""
            started = time.time()
            try:
                check(watch)
            except Exception:
                wrong = traceback.format_exc()
            for window in windows:
                try:
                    window.close()
                except AssertionError as error:
                    wrong += "the page: %s" % error
            print("%s\t%s" % (check.__name__, wrong.replace("\n", "\x01")))
            print("%5.1f s  %s" % (time.time() - started, check.__name__), file=sys.stderr)
        browser.close()


if __name__ == "__main__":
    main()
