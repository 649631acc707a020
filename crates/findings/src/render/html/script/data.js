
// The report, decoded from the tables in which it is written. Findings are decoded when they are looked at: there may be
// ten thousand of them.
const raw = JSON.parse(document.getElementById("report").textContent);
const rest = raw.rest;
const CONFIDENCE = ["low", "medium", "high"];
const STATES = ["open", "known", "suppressed"];

function name(number) {
  return raw.names[number] ?? "";
}

function names(numbers) {
  return (numbers ?? []).map(name);
}

function frame(number) {
  const [cls, method, file, line, own] = raw.frames[number] ?? raw.frames[0];
  return {class: name(cls), method: name(method), file: name(file), line, own: own === 1, known: number > 0};
}

const findings = raw.findings.map((row, index) => ({
  index,
  row,
  rule: rest.rules[row.rule],
  state: row.state,
  confidence: CONFIDENCE[row.confidence],
  fingerprint: name(row.fingerprint),
  subject: name(row.subject),
  headline: [rest.rules[row.rule].title, rest.rules[row.rule].joins, name(row.subject)].filter((word) => word !== "").join(" "),
  message: name(row.message),
  detectors: names(row.detectors),
  roads: row.roads ?? "",
  owners: names(row.owners),
  count: row.count,
}));

// A fingerprint can stand twice in a damaged report; the first one has it.
const byFingerprint = new Map();
for (const finding of findings) {
  if (!byFingerprint.has(finding.fingerprint)) byFingerprint.set(finding.fingerprint, finding);
}

function findingKey(finding) {
  return byFingerprint.get(finding.fingerprint) === finding ? finding.fingerprint : `~${finding.index}`;
}

function findingOf(key) {
  return byFingerprint.get(key) ?? (/^~\d+$/.test(key) ? findings[Number(key.slice(1))] : undefined);
}

function stack(number) {
  return (raw.stacks[number] ?? []).map(frame);
}

function step(number) {
  const [thread, role, does, target, remark, place, locks, calls, example, more] = raw.steps[number];
  const extra = more ?? {};
  return {
    thread: name(thread), role, does: name(does), target: name(target), remark: name(remark), place: frame(place),
    locks: names(locks), stack: stack(calls), example: example === 1, key: `${place} ${calls} ${example}`,
    source: extra.source, readLocks: names(extra.read), taken: (extra.taken ?? []).map(([lock, at, once]) => ({lock: name(lock), at: frame(at), example: once === 1})),
  };
}

function witness(given) {
  return {
    detector: name(given.detector), steps: given.steps.map(step), notes: names(given.notes), advice: name(given.advice ?? 0), more: given.more ?? 0,
    origins: new Map((given.threads ?? []).map(([thread, by, at, calls]) => [name(thread), {by: name(by), at: frame(at), stack: stack(calls)}])),
  };
}

// The key and the value that silence a finding in raddle.toml.
function silence(finding) {
  const [key, value] = finding.row.silence;
  const plain = key === "fingerprint" ? finding.fingerprint : finding.subject;
  return [key, value === 0 ? `"${plain}"` : name(value)];
}

// All that the page of a finding shows.
function evidence(finding) {
  const row = finding.row;
  return {
    witnesses: row.witnesses.map(witness),
    tests: names(row.tests),
    suppressed: row.suppressed ? {reason: name(row.suppressed[0]), by: name(row.suppressed[1])} : null,
    silence: silence(finding),
    picture: row.picture ? picture(row.picture) : null,
  };
}

function picture(given) {
  return {
    witness: given.witness,
    threads: given.threads.map(([thread, imagined]) => ({name: name(thread), imagined: imagined === 1})),
    moments: given.moments.map(([thread, target, words, at, example, held, mark]) => ({
      thread, target: name(target), words: name(words), at: frame(at), example: example === 1, held: names(held), mark,
    })),
    leftOut: given.left_out ?? 0,
    bars: given.bars.map(([thread, lock, from, to, depth]) => ({thread, lock: name(lock), from, to, depth})),
    arrows: given.arrows.map(([from, to, kind, about]) => ({from, to, kind, about: name(about)})),
    unordered: given.unordered ?? null,
    explanation: given.explanation ?? null,
  };
}

// Two places for a finding's line in the list: what each thread does rather than how it got there.
function places(finding) {
  const steps = (finding.row.witnesses[0]?.steps ?? []).map((number) => raw.steps[number]);
  const isEntry = ([, role]) => ["acquire", "holds", "block-entered"].includes(role);
  const threads = [...new Set(steps.map(([thread]) => thread))];
  const first = threads.map((thread) => steps.find((one) => one[0] === thread && !isEntry(one)));
  const found = new Set();
  for (const one of [...first, ...steps]) {
    const text = one === undefined ? "" : placeText(frame(one[5]), true);
    if (text !== "" && found.size < 2) found.add(text);
  }
  return [...found];
}

// What a search looks into: names and places, in small letters.
function haystack(finding) {
  if (finding.haystack === undefined) {
    const seen = new Set([finding.headline, finding.message, finding.fingerprint, ...finding.detectors, ...finding.owners]);
    for (const number of new Set(finding.row.witnesses.flatMap((one) => one.steps))) {
      const taken = raw.steps[number];
      const at = frame(taken[5]);
      seen.add(name(taken[0])).add(`${at.class}.${at.method}`).add(at.file);
    }
    names(finding.row.tests).forEach((test) => seen.add(test));
    finding.haystack = [...seen].join("\n").toLowerCase();
  }
  return finding.haystack;
}
