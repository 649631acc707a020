
// What is particular to each rule.
const PICTURES = {
  "data-race": ["The locks in common, access by access", lockSets],
  "high-level-race": ["What each block uses", viewMatrix],
  "stale-value": ["From the read to the use", staleLine],
  "non-atomic": ["Why the block is not atomic", moverString],
  "lock-order": ["The cycle", lockCycle],
};

function rulePicture(finding, explanation, hue) {
  const known = PICTURES[finding.rule.name];
  if (!known || !explanation) return null;
  const drawn = known[1](explanation, hue);
  return drawn === null ? null : part(known[0], drawn);
}

function threadNode(thread, hue) {
  return el("span", {class: `thread ${hue(thread)}`}, thread);
}

function scrolling(label, node) {
  return el("div", {class: "wide", tabindex: 0, role: "region", "aria-label": label}, node);
}

// The lock set shrinks from access to access until nothing is left.
function lockSets({why, narrowing}, hue) {
  if (narrowing.length === 0) return null;
  let before = null;
  const rows = narrowing.map(([thread, role, at, held, remains]) => {
    const now = names(remains);
    const gone = (before ?? []).filter((lock) => !now.includes(lock));
    before = now;
    const left = [
      now.map(lockNode), gone.map((lock) => el("s", {class: "gone"}, el("span", {class: "unseen"}, "no longer "), lockNode(lock))),
      now.length === 0 ? el("strong", {class: "empty-set"}, "none") : null,
    ];
    return el("tr", {},
      el("th", {scope: "row"}, threadNode(name(thread), hue), ` ${role === "write" ? "writes" : role === "read" ? "reads" : "uses"}`,
        el("div", {class: "at"}, placeText(frame(at), true))),
      el("td", {}, held.length === 0 ? el("span", {class: "soft"}, "no lock") : names(held).map(lockNode)),
      el("td", {}, left));
  });
  const head = el("tr", {}, ["Access", "Locks held", "Held at every access so far"].map((text) => el("th", {scope: "col"}, text)));
  return [
    why > 0 ? el("p", {class: "lead"}, `No lock keeps the two apart: ${name(why)}.`) : null,
    scrolling("Locks in common, a table", el("table", {class: "steps"}, el("thead", {}, head), el("tbody", {}, rows))),
  ];
}

// Blocks by fields: together in one, apart in others.
function viewMatrix({fields, rows, pair, diverging}, hue) {
  const columns = names(fields);
  const isPair = (i) => (pair ?? []).includes(i);
  const head = el("tr", {}, el("th", {scope: "col"}, "Block"),
    columns.map((field, i) => el("th", {scope: "col", class: isPair(i) ? "pair" : null, title: field}, el("code", {}, shortName(field)))));
  const body = rows.map(([thread, role, lock, at, uses], i) => el("tr", {class: (diverging ?? []).includes(i) ? "apart" : i === 0 ? "together" : null},
    el("th", {scope: "row"}, threadNode(name(thread), hue), ` ${{read: "reads", write: "writes"}[role] ?? "uses"}`,
      el("div", {class: "at"}, lock === 0 ? null : ["holding ", lockNode(name(lock))], ` ${placeText(frame(at), true)}`)),
    uses.map((used, column) => el("td", {class: `${used ? "used" : "unused"}${isPair(column) ? " pair" : ""}`}, el("span", {class: "unseen"}, used ? "yes" : "no")))));
  return [
    el("p", {class: "lead"}, "The first block uses the fields together; the others use them apart and give the lock up in between."),
    scrolling("Blocks and fields, a table", el("table", {class: "matrix"}, el("thead", {}, head), el("tbody", {}, body))),
  ];
}

const POINTS = {read: "reads", release: "gives up", interference: "comes in between", use: "uses the old value", write: "writes", acquire: "takes"};

function staleLine({points}, hue) {
  return el("ol", {class: "line-of-points"}, points.map(([role, thread, target, at]) => el("li", {class: `${role} ${hue(name(thread))}`},
    el("div", {class: "words"}, threadNode(name(thread), hue), ` ${POINTS[role] ?? role} `, target === 0 || role === "use" ? null : el("code", {}, shortName(name(target)))),
    el("div", {class: "at"}, placeText(frame(at), true)))));
}

const MOVERS = {
  R: "right-mover: can be done later, past what other threads do",
  L: "left-mover: can be done earlier",
  B: "both-mover: a lock protects it, so it can be moved either way",
  N: "non-mover: others can come before and after it",
};
const PHASES = {before: "", commit: "takes effect here", violation: "cannot be moved back to there"};

function moverString({moves}) {
  const used = [...new Set(moves.map(([letter]) => letter))];
  return [
    el("p", {class: "lead"}, "A block is atomic if it is some right-movers, one operation with which it takes effect, and then left-movers only."),
    el("ol", {class: "movers"}, moves.map(([letter, phase, words, at]) => el("li", {class: phase},
      el("span", {class: "letter", title: MOVERS[letter]}, letter),
      el("div", {}, el("div", {class: "words"}, name(words), PHASES[phase] ? el("span", {class: "mark-word"}, PHASES[phase]) : null),
        el("div", {class: "at"}, placeText(frame(at), true)))))),
    el("p", {class: "small soft"}, used.map((letter) => `${letter} is a ${MOVERS[letter]}`).join(" · "), "."),
  ];
}

function atText(number) {
  const place = placeText(frame(number), true);
  return place === "" ? "" : ` at ${place}`;
}

// Locks on a circle, an arrow from each that is held to the one that is wanted.
function lockCycle({edges}, hue) {
  const locks = [...new Set(edges.flatMap(([, holds, wants]) => [name(holds), name(wants)]))];
  const list = el("ul", {class: "notes"}, edges.map(([thread, holds, wants, took, asked]) => el("li", {},
    threadNode(name(thread), hue), " holds ", lockNode(name(holds)), atText(took),
    ", and wants ", lockNode(name(wants)), atText(asked))));
  if (locks.length < 2 || locks.length > 12) return list;
  const wide = 720;
  const high = locks.length === 2 ? 190 : 380;
  const spot = (i) => {
    if (locks.length === 2) return [i === 0 ? 130 : wide - 130, high / 2];
    const angle = (i / locks.length) * 2 * Math.PI - Math.PI / 2;
    return [wide / 2 + Math.cos(angle) * 240, high / 2 + Math.sin(angle) * 140];
  };
  const drawing = svg("svg", {class: "cycle", viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": "The cycle of locks; the list below tells the same."});
  for (const [thread, holds, wants] of edges) {
    drawing.append(cycleEdge(spot(locks.indexOf(name(holds))), spot(locks.indexOf(name(wants))), name(thread), hue));
  }
  locks.forEach((lock, i) => {
    const [x, y] = spot(i);
    const text = clipped(shortName(lock), 26);
    const half = Math.max(34, text.length * 4.1 + 12);
    drawing.append(svg("g", {class: "lock-node"}, svg("title", {}, lock), svg("rect", {x: x - half, y: y - 17, width: half * 2, height: 34, rx: 6}),
      svg("text", {x, y: y + 4.5, "text-anchor": "middle"}, text)));
  });
  return [el("figure", {class: "drawn"}, el("div", {class: "wide", tabindex: 0, role: "region", "aria-label": "Cycle, a drawing"}, drawing)), list];
}

// Bent to the left of its way, so that two between the same locks do not cover each other; it ends before the box.
function cycleEdge([x1, y1], [x2, y2], thread, hue) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const bend = Math.min(64, length * 0.22);
  const [mx, my] = [(x1 + x2) / 2 + dy * bend, (y1 + y2) / 2 - dx * bend];
  const steep = Math.abs(dy) > 0.5;
  const start = [x1 + dy * 14, y1 - dx * 20];
  const end = [x2 + dy * 14 - (steep ? 0 : dx * 6), y2 - dx * 22 - (steep ? dy * 22 : 0)];
  const angle = Math.atan2(end[1] - my, end[0] - mx);
  const point = (turn, far) => `${end[0] + Math.cos(angle + turn) * far},${end[1] + Math.sin(angle + turn) * far}`;
  const label = [(start[0] + 2 * mx + end[0]) / 4 + dy * 16, (start[1] + 2 * my + end[1]) / 4 - dx * 12];
  return svg("g", {class: `edge ${hue(thread)}`}, svg("title", {}, thread),
    svg("path", {d: `M${start[0]} ${start[1]} Q${mx} ${my} ${end[0]} ${end[1]}`}),
    svg("polygon", {points: `${point(0, 7)} ${point(2.5, 7)} ${point(-2.5, 7)}`}),
    svg("text", {x: label[0], y: label[1] + 4, "text-anchor": "middle"}, clipped(thread, 30)));
}
