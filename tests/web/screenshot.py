"""`python -m tests.web.screenshot URL OUT.png [--width 1280] [--dark] [--full] [--scale 2]`: a page as a PNG."""

import argparse

from tests.web.browser import chromium


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("out")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=800)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--full", action="store_true", help="the whole page, not only its first screen")
    asked = parser.parse_args()
    with chromium() as browser:
        page = browser.new_page(
            viewport={"width": asked.width, "height": asked.height},
            device_scale_factor=asked.scale,
            color_scheme="dark" if asked.dark else "light",
        )
        page.goto(asked.url)
        page.screenshot(path=asked.out, full_page=asked.full)


if __name__ == "__main__":
    main()
