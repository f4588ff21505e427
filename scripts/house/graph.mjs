// Rules on the graph of imports: no circle between files, no room against its order, no async_hooks from an index.
import { importsOf, resolveOurs } from './imports.mjs';
import { at, codeOf } from './tree.mjs';

/**
 * The rooms of core that sources of a room may import, besides their own; rooms not named here are free. Types are
 * free too: they vanish, and the vocabulary of a room (its events, its options) may be shared.
 */
const ROOMS = {
  time: [],
  call: ['time'],
  algorithms: ['time', 'call'],
  telemetry: ['time', 'call'],
  config: ['time', 'call', 'telemetry', 'check'],
};

/** Entries that must not reach async_hooks: ambient context is opt-in, by subpath. */
const NO_ASYNC_HOOKS = ['core', 'client', 'express', 'koa', 'fastify'];
const ASYNC_HOOKS = /^(?:(?:node:)?async_hooks|cls-hooked)$/;

export function checkGraph(tree) {
  const graph = graphOf(tree);
  return [...checkCircles(graph), ...checkRooms(graph), ...checkAsyncHooks(graph)];
}

function graphOf(tree) {
  const graph = new Map();
  for (const file of codeOf(tree, /^packages\/[a-z-]+\/src\//)) {
    const imports = importsOf(file).map((found) => ({
      ...found,
      target: resolveOurs(tree, file.path, found.specifier),
    }));
    graph.set(file.path, { file, imports });
  }
  return graph;
}

/** Circles of values are errors; those that only types close vanish when compiled, and are worth a look. */
function checkCircles(graph) {
  const real = circlesOf(graph, ({ typeOnly }) => !typeOnly);
  const known = new Set(real.map(({ message }) => message));
  const ofTypes = circlesOf(graph, () => true).filter(({ message }) => !known.has(message));
  return [...real, ...ofTypes.map((finding) => ({ ...finding, warning: true }))];
}

function circlesOf(graph, counts) {
  const findings = [];
  const done = new Set();
  const trail = [];
  const enter = (path) => {
    if (done.has(path)) return;
    trail.push(path);
    const { file, imports } = graph.get(path) ?? { imports: [] };
    for (const { target, node } of imports.filter(counts)) {
      if (target === undefined) continue;
      const start = trail.indexOf(target);
      if (start < 0) enter(target);
      else findings.push(at(file, node, 'circle', `import circle: ${rotated(trail.slice(start))}`));
    }
    trail.pop();
    done.add(path);
  };
  for (const path of graph.keys()) enter(path);
  return findings;
}

/** A circle reads the same wherever the walk came in. */
function rotated(circle) {
  const first = circle.indexOf([...circle].sort()[0]);
  const turned = [...circle.slice(first), ...circle.slice(0, first)];
  return [...turned, turned[0]].join(' -> ');
}

function checkRooms(graph) {
  const findings = [];
  for (const [path, { file, imports }] of graph) {
    const room = roomOf(path);
    const allowed = ROOMS[room];
    if (allowed === undefined) continue;
    for (const { target, node, typeOnly } of imports) {
      const other = target === undefined ? undefined : roomOf(target);
      if (other === undefined || other === room || typeOnly || allowed.includes(other)) continue;
      findings.push(at(file, node, 'rooms', `room ${room} must not import room ${other}`));
    }
  }
  return findings;
}

function roomOf(path) {
  return /^packages\/core\/src\/([a-z-]+)\//.exec(path)?.[1];
}

function checkAsyncHooks(graph) {
  return NO_ASYNC_HOOKS.flatMap((name) => reach(graph, `packages/${name}/src/index.ts`));
}

function reach(graph, entry) {
  const findings = [];
  const seen = new Set();
  const enter = (path) => {
    if (seen.has(path)) return;
    seen.add(path);
    const here = graph.get(path);
    for (const { specifier, target, node, typeOnly } of here?.imports ?? []) {
      if (typeOnly) continue;
      if (ASYNC_HOOKS.test(specifier)) {
        findings.push(at(here.file, node, 'async-hooks', `${specifier} is reachable from ${entry}`));
      } else if (target !== undefined) enter(target);
    }
  };
  enter(entry);
  return findings;
}
