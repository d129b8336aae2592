/** docs/messages.md: every message, by the constructor that makes it, with examples. */
import * as freeze from '../../../workflows/messages/freeze.ts';
import * as blockedDeeds from '../../../workflows/messages/blocked-deeds.ts';
import * as blockedNodes from '../../../workflows/messages/blocked-nodes.ts';
import * as nodes from '../../../workflows/messages/nodes.ts';
import * as selfManaged from '../../../workflows/messages/self-managed.ts';
import * as amiChanges from '../../../workflows/messages/ami-changes.ts';
import * as drift from '../../../workflows/messages/drift.ts';
import * as pace from '../../../workflows/messages/pace.ts';
import * as nodeClasses from '../../../workflows/messages/node-classes.ts';
import { code, GENERATED, next, page } from '../markdown.ts';
import { amiChangeExamples, driftExamples, paceExamples } from './drift.ts';
import { freezeExamples, nodeClassExamples } from './freeze.ts';
import { blockedDeedExamples, blockedNodeExamples, nodeExamples, selfManagedExamples } from './nodes.ts';
import { rendered } from './render.ts';

interface Chapter {
  title: string;
  /** Where the constructors are, from the root. */
  path: string;
  module: object;
  examples: object;
}

const chapters: readonly Chapter[] = [
  { title: 'Freeze', path: 'workflows/messages/freeze.ts', module: freeze, examples: freezeExamples },
  { title: 'Node classes', path: 'workflows/messages/node-classes.ts', module: nodeClasses, examples: nodeClassExamples },
  { title: 'Nodes', path: 'workflows/messages/nodes.ts', module: nodes, examples: nodeExamples },
  { title: 'Roll of Karpenter’s nodes', path: 'workflows/messages/drift.ts', module: drift, examples: driftExamples },
  { title: 'Pace of a roll', path: 'workflows/messages/pace.ts', module: pace, examples: paceExamples },
  { title: 'AMIs of a roll', path: 'workflows/messages/ami-changes.ts', module: amiChanges, examples: amiChangeExamples },
  { title: 'Blocked nodes', path: 'workflows/messages/blocked-nodes.ts', module: blockedNodes, examples: blockedNodeExamples },
  {
    title: 'What was done for blocked nodes',
    path: 'workflows/messages/blocked-deeds.ts',
    module: blockedDeeds,
    examples: blockedDeedExamples,
  },
  { title: 'Self-managed nodes', path: 'workflows/messages/self-managed.ts', module: selfManaged, examples: selfManagedExamples },
];

export function messagesDocument(): string {
  return page(
    '# Messages',
    GENERATED,
    'For whoever reads Belay at 3 a.m., and whoever edits what it says: every message with an example. ℹ is information, ⚠ a warning, 🚨 an alarm; buttons are in brackets.',
    ...chapters.flatMap(({ title, path, module, examples }) => [
      `## ${title}`,
      `In [${code(path)}](../${path}).`,
      ...entries(module, examples),
    ]),
    next('Failures', 'reference/failures.md'),
  );
}

/** In the order of the examples, which tell a story. */
function entries(module: object, examples: object): string[] {
  const constructors = new Map<string, unknown>(Object.entries(module));
  return Object.entries(examples).flatMap(([name, calls]: [string, readonly unknown[][]]) => {
    const say = constructors.get(name) as (...args: unknown[]) => unknown;
    return [`**${name}**`, ...calls.map((args) => rendered(say(...args)))];
  });
}
