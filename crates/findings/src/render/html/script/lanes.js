
// Threads as lanes, time to the right: bars for locks held, arrows for what comes first. The numbers are those of the
// table's rows, which says the same in words.
const LANE = {left: 16, top: 34, moment: 58, bar: 18, base: 58};

function lanes(shown, hue) {
  const {threads, moments, bars, arrows, unordered} = shown;
  if (moments.length < 2) return null;
  const x = (moment) => LANE.left + 40 + moment * LANE.moment;
  const width = Math.max(x(moments.length - 1) + 70, 360);
  const depth = threads.map((_, thread) => Math.max(0, ...bars.filter((bar) => bar.thread === thread).map((bar) => bar.depth + 1)));
  const y = [];
  let top = 0;
  for (const [thread, deep] of depth.entries()) {
    y[thread] = top + LANE.top + deep * LANE.bar;
    top = y[thread] + LANE.base - LANE.top;
  }
  const height = top + 6;
  const drawing = svg("svg", {
    class: "lanes", width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Lanes of ${threads.map((thread) => thread.name).join(" and ")}; the table above tells the same.`,
  });
  for (const [i, thread] of threads.entries()) {
    const dashed = thread.imagined ? " imagined" : "";
    drawing.append(svg("g", {class: hue(thread.name)},
      svg("text", {class: "lane-name", x: LANE.left, y: y[i] - depth[i] * LANE.bar - 16}, clipped(thread.name, 60)),
      svg("line", {class: `lane${dashed}`, x1: LANE.left, y1: y[i], x2: width - 16, y2: y[i]})));
  }
  for (const bar of bars) drawing.append(barNode(bar, x, y, moments.length, width));
  for (const arrow of arrows) fill(drawing, [arrowNode(arrow, moments, x, y)]);
  if (unordered) fill(drawing, [unorderedNode(unordered, moments, x, y)]);
  moments.forEach((moment, i) => drawing.append(dotNode(moment, i, x(i), y[moment.thread], hue(threads[moment.thread].name))));
  return el("figure", {class: "drawn"},
    el("div", {class: "wide", tabindex: 0, role: "region", "aria-label": "Lanes, a drawing"}, drawing), legend(shown));
}

function clipped(text, letters) {
  return text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;
}

function barNode(bar, x, y, count, width) {
  const open = bar.to === null || bar.to === undefined;
  const from = x(bar.from);
  const to = open ? width - 16 : x(bar.to);
  const top = y[bar.thread] - 12 - (bar.depth + 1) * LANE.bar + 3;
  const room = Math.floor((to - from - 10) / 6.7);
  return svg("g", {class: "bar"}, svg("title", {}, `${bar.lock} is held`),
    svg("rect", {x: from, y: top, width: Math.max(to - from, 4), height: LANE.bar - 4, rx: 3}),
    room > 2 ? svg("text", {x: from + 6, y: top + 11}, clipped(shortName(bar.lock), room)) : null);
}

// A curve from one lane to another, with its head drawn by hand.
function curve(x1, y1, x2, y2, kind, title) {
  const down = y2 > y1 ? 1 : -1;
  const start = y1 + down * 8;
  const end = y2 - down * 10;
  const bend = Math.max(18, Math.abs(end - start) / 2) * down;
  return svg("g", {class: `arrow ${kind}`}, svg("title", {}, title),
    svg("path", {d: `M${x1} ${start} C${x1} ${start + bend} ${x2} ${end - bend} ${x2} ${end}`}),
    svg("polygon", {points: `${x2 - 4.5},${end - down * 2} ${x2 + 4.5},${end - down * 2} ${x2},${end + down * 6}`}));
}

const ARROWS = {
  "hand-over": "hands over", start: "starts", order: "comes before", "waits-for": "waits for",
};

function arrowNode(arrow, moments, x, y) {
  const [from, to] = [moments[arrow.from], moments[arrow.to]];
  if (from === undefined || to === undefined) return null;
  return curve(x(arrow.from), y[from.thread], x(arrow.to), y[to.thread], arrow.kind, `${ARROWS[arrow.kind] ?? ""} ${arrow.about}`);
}

function unorderedNode([one, other], moments, x, y) {
  const [a, b] = [moments[one], moments[other]];
  if (a === undefined || b === undefined || a.thread === b.thread) return null;
  const down = y[b.thread] > y[a.thread] ? 1 : -1;
  return svg("g", {class: "unordered"}, svg("title", {}, "Nothing orders these two."),
    svg("line", {x1: x(one), y1: y[a.thread] + 9 * down, x2: x(other), y2: y[b.thread] - 9 * down}));
}

function dotNode(moment, i, x, y, hue) {
  const shape = {
    defect: () => svg("circle", {cx: x, cy: y, r: 8}),
    interference: () => svg("circle", {cx: x, cy: y, r: 8}),
    commit: () => svg("rect", {x: x - 7, y: y - 7, width: 14, height: 14, transform: `rotate(45 ${x} ${y})`}),
    violation: () => svg("rect", {x: x - 8, y: y - 8, width: 16, height: 16, rx: 2}),
    blocked: () => svg("rect", {x: x - 8, y: y - 8, width: 16, height: 16, rx: 2}),
  }[moment.mark] ?? (() => svg("circle", {cx: x, cy: y, r: 5}));
  return svg("g", {class: `dot ${moment.mark} ${hue}`}, svg("title", {}, `${i + 1}: ${moment.words}`), shape(),
    svg("text", {x, y: y + 21, "text-anchor": "middle"}, i + 1));
}

function legend(shown) {
  const kinds = new Set(shown.arrows.map((arrow) => arrow.kind));
  const marks = new Set(shown.moments.map((moment) => moment.mark));
  const items = [];
  if (shown.bars.length > 0) items.push("bars: locks held");
  if (kinds.has("hand-over") || kinds.has("start") || kinds.has("order")) items.push("arrows: what comes first");
  if (kinds.has("waits-for")) items.push("dashed arrows: waits for who holds it");
  if (shown.unordered) items.push("dotted line: nothing orders these two");
  if (marks.has("commit")) items.push("diamond: the block takes effect");
  if (marks.has("violation")) items.push("square: the block is broken");
  items.push("numbers: rows of the table");
  return el("figcaption", {class: "small soft"}, `${items.join(" · ")}.`);
}
