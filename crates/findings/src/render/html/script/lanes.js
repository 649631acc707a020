
// Threads as lanes, time to the right: bars for locks held, arrows for what comes first. The numbers are those of the
// table's rows, which says the same in words.
const LANE = {side: 20, name: 22, bar: 19, above: 20, below: 42, least: 56, most: 190, around: 110};

function lanes(shown, hue) {
  const {threads, moments, bars, arrows, unordered} = shown;
  if (moments.length < 2) return null;
  const room = Math.max(300, document.getElementById("main").clientWidth - LANE.around);
  const each = Math.min(LANE.most, Math.max(LANE.least, room / moments.length));
  const x = (moment) => LANE.side + each * (moment + 0.5);
  const width = Math.max(LANE.side * 2 + each * moments.length, 300);
  const y = [];
  const names = [];
  let top = 8;
  for (const thread of threads.keys()) {
    const deep = Math.max(0, ...bars.filter((bar) => bar.thread === thread).map((bar) => bar.depth + 1));
    names[thread] = top + 12;
    y[thread] = top + LANE.name + deep * LANE.bar + LANE.above;
    top = y[thread] + LANE.below;
  }
  const drawing = svg("svg", {
    class: "lanes", width, height: top, viewBox: `0 0 ${width} ${top}`, role: "img",
    "aria-label": `Lanes of ${threads.map((thread) => thread.name).join(" and ")}; the table above tells the same.`,
  });
  for (const [i, thread] of threads.entries()) {
    drawing.append(svg("g", {class: hue(thread.name)},
      svg("text", {class: `lane-name${thread.imagined ? " imagined" : ""}`, x: LANE.side, y: names[i]}, clipped(thread.name, 60)),
      svg("line", {class: `lane${thread.imagined ? " imagined" : ""}`, x1: LANE.side, y1: y[i], x2: width - LANE.side, y2: y[i]})));
  }
  for (const bar of bars) drawing.append(barNode(bar, x, y, width - LANE.side));
  for (const arrow of arrows) fill(drawing, [arrowNode(arrow, moments, x, y)]);
  if (unordered) fill(drawing, [unorderedNode(unordered, moments, x, y)]);
  moments.forEach((moment, i) => drawing.append(dotNode(moment, i, x(i), y[moment.thread], hue(threads[moment.thread].name), each)));
  return el("figure", {class: "drawn"},
    el("div", {class: "wide", tabindex: 0, role: "region", "aria-label": "Lanes, a drawing"}, drawing), legend(shown));
}

// The middle goes first: names differ at their ends.
function clipped(text, letters) {
  const end = Math.floor(letters / 2);
  return text.length <= letters ? text : `${text.slice(0, letters - end - 1)}…${text.slice(text.length - end)}`;
}

function barNode(bar, x, y, end) {
  const open = bar.to === null || bar.to === undefined;
  const from = x(bar.from);
  const to = open ? end : x(bar.to);
  const top = y[bar.thread] - LANE.above - (bar.depth + 1) * LANE.bar + 4;
  const room = Math.floor((to - from - 10) / 6.8);
  return svg("g", {class: "bar"}, svg("title", {}, `${bar.lock} is held`),
    svg("rect", {x: from, y: top, width: Math.max(to - from, 4), height: LANE.bar - 4, rx: 3}),
    room > 2 ? svg("text", {x: from + 6, y: top + 11}, clipped(shortName(bar.lock), room)) : null);
}

// A curve from one lane to another, with its head drawn by hand.
function curve(x1, y1, x2, y2, kind, title) {
  const down = y2 > y1 ? 1 : -1;
  const start = y1 + down * 11;
  const end = y2 - down * 16;
  const bend = Math.max(24, Math.abs(end - start) / 2) * down;
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
    svg("line", {x1: x(one), y1: y[a.thread] + 12 * down, x2: x(other), y2: y[b.thread] - 12 * down}));
}

// The number stands in the dot; where there is room, the words below it.
function dotNode(moment, i, x, y, hue, room) {
  const square = (rx, turn) => svg("rect", {x: x - 9, y: y - 9, width: 18, height: 18, rx, transform: turn});
  const shape = moment.mark === "commit" ? square(3, `rotate(45 ${x} ${y})`)
    : moment.mark === "violation" || moment.mark === "blocked" ? square(3, null) : svg("circle", {cx: x, cy: y, r: 10});
  return svg("g", {class: `dot ${moment.mark} ${hue}`}, svg("title", {}, `${i + 1}: ${moment.words}`), shape,
    svg("text", {class: "dot-number", x, y: y + 3.8, "text-anchor": "middle"}, i + 1),
    room < 118 ? null : svg("text", {class: "dot-words", x, y: y + 26, "text-anchor": "middle"}, clipped(moment.words, Math.floor(room / (moment.mark === "none" ? 6.3 : 7.2)))));
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
