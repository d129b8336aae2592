/** Does belay.yaml use Slack? Where it does not, messages stay in histories, and the command line alone decides. */
import type { ApprovalPolicy } from '../../gates/approvals.ts';
import { isSlackUser, type People } from '../identities.ts';
import { NO_SLACK } from '../policy.ts';
import type { ConfigProblem, KeyPath } from './base/errors.ts';
import type { ConfigInput } from './schema.ts';
import { RIGHT_SLACK_USER, shortageOf } from './sections/approvals.ts';

/** Any channel says that Slack is used: what else Slack needs is then asked for. */
export function usesSlack({ slack, defaults, clusters, campaigns, proposals }: ConfigInput): boolean {
  const all = [slack, defaults, ...Object.values(clusters)].flatMap((each) => [each?.channel, each?.stakeholders]);
  return [...all, ...Object.values(campaigns ?? {}).map(({ channel }) => channel), proposals?.channel].some((each) => each !== undefined);
}

/** Of what names no channel of its own. undefined: Slack is used, and slack.channel is missing. */
export const sharedChannel = (input: ConfigInput): string | undefined => (usesSlack(input) ? input.slack?.channel : NO_SLACK);

interface Problem {
  path: KeyPath;
  message: string;
}

const GROUP_UNREADABLE =
  'names Slack user groups, and without Slack (no slack.channel in this file) nobody can look up who is in them; name each person under users, with their AWS identities under people, or write slack.channel';

/** With Slack: names that Slack cannot know. */
export function unknownToSlack(input: ConfigInput): Problem[] {
  if (!usesSlack(input)) return [];
  const people = Object.keys(input.people ?? {}).flatMap((person): Problem[] => notOfSlack(['people', person], person));
  const approvers = namedIn(input, 'users').flatMap(({ path, ids }) => ids.flatMap((id, index) => notOfSlack([...path, index], id)));
  return [...people, ...approvers];
}

/** Without Slack: groups. Nobody may start an upgrade by such a file; what only reads does without approvers. */
export function unreadableGroups(input: ConfigInput): Problem[] {
  if (usesSlack(input)) return [];
  return namedIn(input, 'groups').flatMap(({ path, ids }) => (ids.length === 0 ? [] : [{ path, message: GROUP_UNREADABLE }]));
}

function notOfSlack(path: KeyPath, name: string): Problem[] {
  return isSlackUser(name) ? [] : [{ path, message: `"${name}" is not valid; ${RIGHT_SLACK_USER}` }];
}

/** Every `approvals:` of the file. */
function approvalsIn({ approvals, defaults, environments, clusters, campaigns }: ConfigInput): [KeyPath, unknown][] {
  const below = (section: string, all: Record<string, { approvals?: unknown }> | undefined): [KeyPath, unknown][] =>
    Object.entries(all ?? {}).map(([name, each]) => [[section, name, 'approvals'], each.approvals]);
  return [
    [['approvals'], approvals],
    [['defaults', 'approvals'], defaults?.approvals],
    ...below('environments', environments),
    ...below('clusters', clusters),
    ...below('campaigns', campaigns),
  ];
}

interface Named {
  path: KeyPath;
  ids: string[];
}

/** Wherever people or groups are named: in rules, phases, escalation and so on. */
const namedIn = (input: ConfigInput, key: 'users' | 'groups'): Named[] =>
  approvalsIn(input).flatMap(([path, given]) => listsIn(path, given, key));

function listsIn(path: KeyPath, given: unknown, wanted: string): Named[] {
  if (typeof given !== 'object' || given === null) return [];
  return Object.entries(given).flatMap(([key, value]: [string, unknown]): Named[] => {
    const at = [...path, key];
    if (!Array.isArray(value)) return listsIn(at, value, wanted);
    return key === wanted ? [{ path: at, ids: value.map(String) }] : [];
  });
}

/** Why nobody could decide by command line alone; undefined: enough approvers are known there. */
export function undecidableWithoutSlack(approvals: ApprovalPolicy, people: People | undefined): ConfigProblem | undefined {
  if (approvals.allowUnverifiedCli) return undefined;
  const { escalation } = approvals;
  const isKnown = (user: string): boolean => people?.[user] !== undefined;
  const short = shortageOf(approvals, isKnown);
  if (short === undefined) return undefined;
  const named = [...short.rules, ...(escalation === undefined ? [] : [escalation])].flatMap(({ users }) => users);
  const unknown = [...new Set(named)].filter((user) => !isKnown(user));
  const message = `gives no AWS identity of ${unknown.join(', ')}, and without Slack (no slack.channel in this file) people decide by command line alone, so no gate could pass; write their ARNs under people, or write slack.channel`;
  return { path: 'people', message };
}
