// SPDX-License-Identifier: Apache-2.0
// The figures under the pointer, a finger or the arrow keys. Only reads the data attributes of the drawings, and writes
// text only as textContent. Listens at the document, so that drawings may be replaced while the page is open: whoever
// does so dispatches `replaced`.
#include "adasample/report/page_parts.h"

namespace adasample {

const std::string_view kPageScript = R"js('use strict';
(() => {
const tip = document.getElementById('tip');
const kDrawing = 'svg[data-plot], svg[data-heat]';
const drawings = () => [...document.querySelectorAll(kDrawing)];
const drawing = (event) => event.target instanceof Element ? event.target.closest(kDrawing) : null;
const numbers = (text) => text ? text.split(' ').map((word) => word === '-' ? NaN : Number(word)) : [];
const share = (svg, x) => {
  const {from, to, log} = svg.dataset;
  return log === '1' ? Math.log(x / from) / Math.log(to / from) : (x - from) / (to - from);
};
const place = (svg, x) => {
  const left = Number(svg.dataset.left), right = Number(svg.dataset.right);
  return left + (right - left) * Math.min(1, Math.max(0, share(svg, x)));
};

// What is under a place: the drawings hold their figures as text, read at the first visit.
const plots = new WeakMap();
const read = (svg) => {
  if (!plots.has(svg)) {
    const series = [...svg.querySelectorAll('.series')].map((g) => ({
      name: g.dataset.name, style: g.getAttribute('class'), x: numbers(g.dataset.x), y: g.dataset.y.split(' '),
      low: g.dataset.low && g.dataset.low.split(' '), high: g.dataset.high && g.dataset.high.split(' ')}));
    const places = [...new Set(series.flatMap((s) => s.x))].sort((a, b) => a - b);
    plots.set(svg, {series, places});
  }
  return plots.get(svg);
};
const nearest = (svg, xs, at) => {
  let best = -1, least = Infinity;
  xs.forEach((x, i) => {
    const far = Math.abs(place(svg, x) - at);
    if (far < least) { least = far; best = i; }
  });
  return best;
};

const element = (name, style, text) => {
  const made = document.createElement(name);
  if (style) made.className = style;
  if (text !== undefined) made.textContent = text;
  return made;
};
const row = (style, name, value) => {
  const made = element('div', style);
  if (style) made.append(element('i', 'swatch'));
  made.append(element('span', 'name', name), element('b', 'value', value));
  return made;
};
const cross = (svg, x) => {
  const line = svg.querySelector('.cross');
  line.style.visibility = x === null ? 'hidden' : 'visible';
  if (x !== null) line.setAttribute('transform', `translate(${place(svg, x)} 0)`);
};
const hide = () => {
  tip.hidden = true;
  drawings().forEach((svg) => cross(svg, null));
};
const show = (svg, x, head, rows, clientX, clientY, touch) => {
  const iterations = (one) => one.dataset.heat || Number(one.dataset.span) > 0;
  drawings().forEach((one) => cross(one, one === svg || (iterations(one) && iterations(svg)) ? x : null));
  tip.replaceChildren(element('div', 'head', head), ...rows);
  tip.hidden = false;
  const {width, height} = tip.getBoundingClientRect();
  const room = document.documentElement.clientWidth - width - 8;
  const beside = clientX + 16 > room ? clientX - width - 16 : clientX + 16;
  tip.style.left = `${Math.max(8, Math.min(room, beside))}px`;
  tip.style.top = `${Math.max(8, Math.min(innerHeight - height - 8, clientY - (touch ? height + 32 : height / 2)))}px`;
};

const showPlot = (svg, at, clientX, clientY, touch) => {
  const {series, places} = read(svg), span = Number(svg.dataset.span);
  if (!places.length) return;
  const x = places[nearest(svg, places, at)];
  svg.shown = places.indexOf(x);
  const rows = [];
  for (const s of series) {
    const i = span > 0 ? s.x.indexOf(x) : nearest(svg, s.x, place(svg, x));
    if (i < 0 || (s.x.length === 1 && s.x[i] !== x)) continue;
    const band = span > 1 && s.low && s.y[i] !== '-' ? ` (${s.low[i]} to ${s.high[i]})` : '';
    rows.push(row(s.style, s.name, s.y[i] + band));
  }
  const head = span > 1 ? `iterations ${x} to ${x + span - 1}` : `${svg.dataset.plot} ${x}`;
  show(svg, x, head, rows, clientX, clientY, touch);
};
const showHeat = (svg, at, up, clientX, clientY, touch) => {
  const d = svg.dataset, columns = numbers(d.columns), [low, high] = d.heat.split(';').map(Number);
  let c = 0;
  while (c + 1 < columns.length && place(svg, columns[c + 1]) <= at) ++c;
  const counts = numbers(d.counts.split(';')[c]), bin = (high - low) / counts.length;
  const r = Math.max(0, Math.min(counts.length - 1, Math.floor((d.bottom - up) / (d.bottom - d.top) * counts.length)));
  const total = counts.reduce((a, b) => a + b, 0);
  svg.shown = c;
  const text = (value) => Number(value.toPrecision(4)).toString();
  show(svg, columns[c], `iteration ${columns[c]}`, [
    row('', 'from', `${text(low + r * bin)} to ${text(low + (r + 1) * bin)}`),
    row('', 'count', `${counts[r]} of ${total}`)], clientX, clientY, touch);
};

const visit = (svg, clientX, clientY, touch) => {
  const box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
  const at = (clientX - box.left) / box.width * view.width, up = (clientY - box.top) / box.height * view.height;
  if (svg.dataset.heat) showHeat(svg, at, up, clientX, clientY, touch);
  else showPlot(svg, at, clientX, clientY, touch);
};
let last = null;  // where the pointer was, over a drawing
const pointed = (event) => {
  const svg = drawing(event);
  if (!svg) {
    if (event.type === 'pointerdown' || event.pointerType !== 'touch') leave();
    return;
  }
  last = {x: event.clientX, y: event.clientY, touch: event.pointerType === 'touch'};
  visit(svg, last.x, last.y, last.touch);
};
const leave = () => {
  if (!tip.hidden) hide();
  last = null;
};
document.addEventListener('pointermove', pointed);
document.addEventListener('pointerdown', pointed);
document.documentElement.addEventListener('pointerleave', (event) => { if (event.pointerType !== 'touch') leave(); });
document.addEventListener('focusout', (event) => { if (drawing(event)) leave(); });
document.addEventListener('keydown', (event) => {
  const svg = drawing(event), step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
  if (!svg) return;
  if (event.key === 'Escape') leave();
  if (!step) return;
  event.preventDefault();
  const xs = svg.dataset.heat ? numbers(svg.dataset.columns) : read(svg).places;
  if (!xs.length) return;
  const next = Math.max(0, Math.min(xs.length - 1, (svg.shown ?? -1) + step));
  const box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
  visit(svg, box.left + (place(svg, xs[next]) + 0.01) / view.width * box.width, box.top + box.height / 2, false);
}, true);
document.addEventListener('replaced', () => {
  const under = last && document.elementFromPoint(last.x, last.y);
  const svg = under && under.closest(kDrawing);
  if (svg) visit(svg, last.x, last.y, last.touch);
  else leave();
});
addEventListener('scroll', leave, {passive: true});
})();
)js";

}  // namespace adasample
