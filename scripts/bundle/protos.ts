/**
 * Temporal's API as the command line's bundle has it: the methods that are called there, and every message that they can carry. All of it,
 * Temporal Cloud's own API and the workers' included, took as long to set up as everything else that `belay status` does.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';

/** A namespace, message, enum or service, as protobufjs' JSON has them. */
export interface ProtoNode {
  nested?: Record<string, ProtoNode>;
  fields?: Record<string, { type: string }>;
  values?: Record<string, number>;
  methods?: Record<string, { requestType: string; responseType: string }>;
  /** An annotation of others, such as the HTTP path of a method. */
  extend?: string;
}

type Nodes = Record<string, ProtoNode>;

/** Clients of the SDK for what Belay does not have: schedules, Nexus, activities without a workflow. */
const UNUSED_CLIENTS = /^(schedule|nexus|activity)-/;
const API = '@temporalio/proto/protos/json-module.js';
/** Around the JSON, as pbjs writes it. */
const MODULE = /\.addJSON\((\{\n.*\n\})\);?$/ms;

/** In place of the whole API. `code`: of Belay, whose calls count: dist/, or the checkout. */
export function leaveOutMethods(root: string, code: string): Plugin {
  return {
    name: 'leave-out-methods',
    load(path) {
      if (!path.endsWith(API)) return undefined;
      const json = MODULE.exec(readFileSync(path, 'utf8'))?.[1];
      if (json === undefined) throw new Error(`${path}: its JSON is not where it was; see MODULE`);
      const used = usedApi(JSON.parse(json) as Nodes, callersIn(root, code));
      // As text: V8 reads JSON faster than the same in JavaScript.
      return `const { roots, Root } = require('protobufjs/light');
module.exports = (roots.__temporal ??= new Root()).addJSON(JSON.parse(${JSON.stringify(JSON.stringify(used))}));`;
    },
  };
}

/** The API with the methods that one of the texts names after a dot, and what these or a text's full names need. Enums stay, annotations go. */
export function usedApi(api: Nodes, texts: readonly string[]): Nodes {
  const words = new Set(texts.flatMap((text) => [...text.matchAll(/\.([a-z]\w*)/g)].map(([, word]) => word)));
  const names = texts.flatMap((text) => [...text.matchAll(/\b(?:temporal|google|grpc)(?:\.\w+)+/g)].map(([name]) => name));
  const all = new Map(entriesOf(api).filter(([, { extend }]) => extend === undefined));
  const kept = new Set<string>();
  const keep = (type: string, from: string): void => {
    const name = scopesOf(from, type).find((each) => all.has(each));
    if (name === undefined || kept.has(name)) return;
    kept.add(name);
    const { fields = {}, methods = {} } = all.get(name) ?? {};
    for (const each of Object.values(fields)) keep(each.type, name);
    for (const [method, { requestType, responseType }] of Object.entries(methods))
      if (words.has(lowerFirst(method))) for (const each of [requestType, responseType]) keep(each, name);
  };
  // A name such as temporal.api.common.v1.Payload.encode: what it begins with counts.
  for (const name of names) for (const each of beginningsOf(name)) keep(each, '');
  for (const [name, { values, methods }] of all) if (values !== undefined || methods !== undefined) keep(name, '');
  return without(api, '', kept, words);
}

/** Every node by its full name. */
const entriesOf = (nodes: Nodes, prefix = ''): [string, ProtoNode][] =>
  Object.entries(nodes).flatMap(([name, node]) => [[prefix + name, node], ...entriesOf(node.nested ?? {}, `${prefix}${name}.`)]);

/** Where protobuf looks a name up: in the scope itself first, then in each that is around it. */
function scopesOf(from: string, type: string): string[] {
  const parts = from.split('.');
  return [...parts.keys(), parts.length].toReversed().map((count) => [...parts.slice(0, count), type].join('.').replace(/^\./, ''));
}

const beginningsOf = (name: string): string[] => name.split('.').map((_, index, parts) => parts.slice(0, index + 1).join('.'));

function without(nodes: Nodes, prefix: string, kept: ReadonlySet<string>, words: ReadonlySet<string | undefined>): Nodes {
  return Object.fromEntries(
    Object.entries(nodes).flatMap(([name, node]): [string, ProtoNode][] => {
      const { nested, methods, ...rest } = node;
      const inside = without(nested ?? {}, `${prefix}${name}.`, kept, words);
      if (!kept.has(prefix + name)) return Object.keys(inside).length === 0 ? [] : [[name, { nested: inside }]];
      const called = Object.entries(methods ?? {}).filter(([method]) => words.has(lowerFirst(method)));
      return [[name, { ...rest, ...(methods && { methods: Object.fromEntries(called) }), ...(nested && { nested: inside }) }]];
    }),
  );
}

const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** Of the house, what bundles are made of. */
export const WINGS = ['activities', 'cli', 'client', 'domain', 'render', 'slack', 'worker', 'workflows'];

/** Code that calls Temporal's services. */
function callersIn(root: string, code: string): string[] {
  const packages = ['client', 'common', 'envconfig'].map((name) => join(root, 'node_modules/@temporalio', name, 'lib'));
  return [...WINGS.map((wing) => join(code, wing)), ...packages].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /(?<!\.d)\.[jt]s$/.test(entry.name) && !UNUSED_CLIENTS.test(entry.name))
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')),
  );
}
