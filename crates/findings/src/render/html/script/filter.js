
// Which findings are listed. The choice stands in the address, so that a filtered list can be sent to somebody.
const FACETS = {
  rule: {label: "Rule", all: "All rules", values: (finding) => [finding.rule.name], words: (value) => rest.rules.find((rule) => rule.name === value)?.title ?? value},
  confidence: {label: "Confidence", all: "Any", values: (finding) => [finding.confidence]},
  detector: {label: "Detector", all: "All detectors", values: (finding) => finding.detectors},
  owner: {label: "Owner", all: "Everybody", values: (finding) => finding.owners},
  state: {label: "State", all: "All", values: (finding) => [finding.state], words: (value) => (value === "known" ? "in the baseline" : value)},
};

function emptyFilter() {
  return {q: "", rule: "", confidence: "", detector: "", owner: "", state: "open"};
}

let filter = emptyFilter();

function filterFrom(query) {
  const given = new URLSearchParams(query);
  const made = emptyFilter();
  for (const key of Object.keys(made)) {
    if (given.has(key)) made[key] = given.get(key);
  }
  return made;
}

function filterQuery() {
  const usual = emptyFilter();
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(filter)) {
    if (value !== usual[key]) query.set(key, value);
  }
  return query.toString();
}

function listRoute() {
  const query = filterQuery();
  return query === "" ? "#/" : `#/?${query}`;
}

// Whether a finding is listed; `but` names a choice that is left aside, to count what the other choices would show.
function isListed(finding, but) {
  for (const [key, facet] of Object.entries(FACETS)) {
    if (key !== but && filter[key] !== "" && !facet.values(finding).includes(filter[key])) return false;
  }
  const words = filter.q.toLowerCase().split(/\s+/).filter((word) => word !== "");
  return words.length === 0 || words.every((word) => haystack(finding).includes(word));
}

function listed() {
  return findings.filter((finding) => isListed(finding));
}

// The values of a facet, with how many findings each would list.
function choices(key) {
  const counts = new Map();
  for (const finding of findings) {
    for (const value of FACETS[key].values(finding)) {
      counts.set(value, (counts.get(value) ?? 0) + (isListed(finding, key) ? 1 : 0));
    }
  }
  const order = {rule: rest.rules.map((rule) => rule.name), confidence: [...CONFIDENCE].reverse(), state: STATES}[key];
  const rank = (value) => (order ? order.indexOf(value) : 0);
  return [...counts].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
