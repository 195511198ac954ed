// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/live/live_page.h"

#include <fmt/format.h>

#include "adasample/report/html.h"
#include "adasample/report/page_parts.h"

namespace adasample {
namespace {

constexpr std::string_view kLiveStyle =
    R"css(progress { width: 100%; height: 8px; margin: 8px 0 0; accent-color: var(--s0); }
.alarm { color: var(--accent); font-weight: 600; margin-top: 6px; }
#state { color: var(--soft); margin: 0; } #state.lost { color: var(--accent); font-weight: 600; }
a { color: var(--s0); }
nav.legend:empty { display: none; }
)css";

// The server is the same that sent the page, and what it sends is escaped; its content policy obeys no script in it.
constexpr std::string_view kLiveScript = R"js('use strict';
(() => {
const state = document.getElementById('state');
const tell = (text, lost) => { state.textContent = text; state.className = lost ? 'lost' : ''; };
const put = (id, html) => {
  const part = document.getElementById('part-' + id);
  if (!part) return;
  const opened = [...part.querySelectorAll('details')].map((d) => d.open);
  const held = part.contains(document.activeElement) ? [...part.querySelectorAll('svg')].indexOf(document.activeElement) : -1;
  part.innerHTML = html;
  const fold = part.querySelectorAll('details');
  if (opened.length === fold.length) fold.forEach((d, i) => { d.open = opened[i]; });
  if (held >= 0) part.querySelectorAll('svg')[held]?.focus({preventScroll: true});
};
const open = () => {
  const source = new EventSource('events');
  source.addEventListener('parts', (event) => {
    for (const [id, html] of Object.entries(JSON.parse(event.data))) put(id, html);
    document.dispatchEvent(new Event('replaced'));
  });
  source.addEventListener('open', () => tell('live', false));
  source.addEventListener('error', () => {
    tell('Not connected; trying again. Is `adasample watch` still running?', true);
    if (source.readyState !== EventSource.CLOSED) return;  // the browser tries again by itself
    source.close();
    setTimeout(open, 2000);
  });
};
open();
})();
)js";

std::string style() { return fmt::format("\n{}{}", kPageStyle, kLiveStyle); }
std::string script() { return fmt::format("\n{}{}", kPageScript, kLiveScript); }

}  // namespace

std::string live_content_policy() {
  return fmt::format(
      "default-src 'none'; img-src data:; connect-src 'self'; style-src '{}'; script-src '{}'; base-uri 'none'; "
      "form-action 'none'; frame-ancestors 'none'",
      content_hash(style()), content_hash(script()));
}

std::string live_page(const std::vector<LivePart>& parts) {
  std::string page = fmt::format(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>adasample watch</title>
<style>{}</style>
</head>
<body>
<header><h1>adasample watch</h1><p id="state" role="status">connecting</p></header>
)",
                                 style());
  std::string content;
  for (const LivePart& part : parts) {
    if (part.id == "legend") {
      page += fmt::format("<nav class=\"legend\" aria-label=\"Runs\" id=\"part-legend\">{}</nav>\n", part.html);
    } else {
      content += fmt::format("<div id=\"part-{}\">{}</div>\n", part.id, part.html);
    }
  }
  return page + "<main>\n" + content + "</main>\n<div id=\"tip\" role=\"status\" hidden></div>\n<script>" + script() +
         "</script>\n</body>\n</html>\n";
}

}  // namespace adasample
