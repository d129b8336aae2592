/** `/eks-upgrade VERB CLUSTER [VERSION] [--strategy S]`: parsed at the edge, strictly; anything unknown is named back. */
import { PACE_FORM, parsePace } from '../../../domain/policy/pace.ts';
import { nearest } from '../../../domain/policy/config/base/nearest.ts';
import { parseDurationMs } from '../../../domain/core/parse-duration.ts';
import { type CampaignCommandText, parseCampaign } from './parse-campaign.ts';
import { type NotifyCommandText, parseNotify } from './parse-notify.ts';
import { parseSteering, STEERING, type Steering, type SteeringVerb } from './parse-steering.ts';
import { isStepName } from '../../../domain/plan/undo/undo-input.ts';
import { NODE_STRATEGIES, type NodeStrategy } from '../../../domain/policy/policy.ts';
import {
  commandTooLong,
  notAClusterName,
  notADuration,
  notAMinor,
  notAPace,
  notAStep,
  notAStrategy,
  unexpectedArgument,
  unknownCommand,
  unknownOption,
  whichCluster,
  whichPace,
} from '../../messages/commands.ts';

const MAX_LENGTH = 500;
/** The form of an EKS cluster's name: docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html. Dots for names of our own. */
const CLUSTER_NAME = /^[0-9A-Za-z][0-9A-Za-z._-]{0,99}$/u;
export const VERBS = [
  'start',
  'plan',
  'forecast',
  'rollback',
  'reconcile',
  'check',
  'status',
  'digest',
  'campaign',
  'pause',
  'resume',
  'abort',
  'pace',
  ...STEERING,
  'notify',
  'help',
] as const;

export type ControlVerb = 'pause' | 'resume' | 'abort';

export type Command =
  | { kind: 'help' }
  /** Nothing was typed: the form. */
  | { kind: 'form' }
  /** `problem` names the bad word, as the person wrote it, in one sentence; hinted: it says what was meant, and the help is left out. */
  | { kind: 'usage'; problem: string; isHinted?: true }
  | { kind: 'start' | 'plan'; cluster: string; target?: string; strategy?: NodeStrategy }
  | { kind: 'forecast'; cluster: string; target?: string; strategy?: NodeStrategy }
  /** `step`: of the last run; absent: the control plane. */
  | { kind: 'rollback'; cluster: string; step?: string; dryRun: boolean }
  /** What of the last run can be undone. */
  | { kind: 'undo-list'; cluster: string }
  | { kind: 'reconcile'; cluster: string; dryRun: boolean; roll: boolean }
  | { kind: 'check'; cluster: string; target?: string }
  /** No cluster: all that run. */
  | { kind: 'status'; cluster?: string }
  /** What happened in the time before now, what waits, what is due. */
  | { kind: 'digest'; sinceMs: number }
  | CampaignCommandText
  | { kind: 'control'; verb: ControlVerb; cluster: string }
  | { kind: 'pace'; cluster: string; pace: string }
  | NotifyCommandText
  | Steering;

export function parseCommand(text: string): Command {
  if (text.length > MAX_LENGTH) return usage(commandTooLong(text.length, MAX_LENGTH));
  const words = text.split(/\s+/u).filter((word) => word !== '');
  const [first, ...rest] = words;
  if (first === undefined) return { kind: 'form' };
  const verb = VERBS.find((known) => known === first.toLowerCase());
  switch (verb) {
    case undefined:
      return unknown(first);
    case 'help':
      return { kind: 'help' };
    case 'start':
    case 'plan':
    case 'forecast':
      return parsePlanning(verb, rest);
    case 'rollback':
      return parseRollback(rest);
    case 'reconcile':
      return withOptions(rest, ['dry-run', 'roll'], 'reconcile', (cluster, said) => ({
        kind: 'reconcile',
        cluster,
        dryRun: said('dry-run'),
        roll: said('roll'),
      }));
    case 'check':
      return withTarget(rest, verb, (cluster, target) => ({ kind: 'check', cluster, target }));
    case 'status':
      return rest.length === 0 ? { kind: 'status' } : withCluster(rest, 'status', (cluster) => ({ kind: 'status', cluster }));
    case 'digest':
      return parseDigest(rest);
    case 'campaign':
      return asCommand(parseCampaign(rest));
    case 'pause':
    case 'resume':
    case 'abort':
      return withCluster(rest, verb, (cluster) => ({ kind: 'control', verb, cluster }));
    case 'pace':
      return parsePaceCommand(rest);
    case 'notify':
      return asCommand(parseNotify(rest));
    case 'approve':
    case 'reject':
    case 'retry':
    case 'skip':
    case 'extend':
    case 'handover':
    case 'history':
    case 'report':
      return parseSteeringCommand(verb, rest);
  }
}

/** A sentence is what is wrong. */
const asCommand = (parsed: Command | string): Command => (typeof parsed === 'string' ? usage(parsed) : parsed);

function unknown(word: string): Command {
  const close = nearest(word, VERBS);
  return { kind: 'usage', problem: unknownCommand(word, close), ...(close === undefined ? {} : { isHinted: true }) };
}

function parseSteeringCommand(verb: SteeringVerb, [cluster, ...words]: string[]): Command {
  return withCluster(cluster === undefined ? [] : [cluster], verb, (name) => {
    return asCommand(parseSteering(verb, name, words));
  });
}

const DAY_MS = 24 * 3_600_000;
const MOST_DAYS = 90;

function parseDigest([time, extra]: string[]): Command {
  if (extra !== undefined) return usage(unexpectedArgument(extra));
  const sinceMs = time === undefined ? DAY_MS : (parseDurationMs(time) ?? 0);
  if (sinceMs <= 0 || sinceMs > MOST_DAYS * DAY_MS) return usage(notADuration(time ?? ''));
  return { kind: 'digest', sinceMs };
}

function parsePaceCommand([cluster, word, extra]: string[]): Command {
  if (extra !== undefined) return usage(unexpectedArgument(extra));
  return withCluster(cluster === undefined ? [] : [cluster], 'pace', (name) => {
    const pace = parsePace(word ?? '');
    if (pace !== undefined) return { kind: 'pace', cluster: name, pace };
    return usage(word === undefined ? whichPace(PACE_FORM) : notAPace(word, PACE_FORM));
  });
}

/** The step, where one is named, comes after the cluster. */
function parseRollback(words: string[]): Command {
  const options = words.filter(isOption);
  const [cluster, step, extra] = words.filter((word) => !isOption(word));
  if (extra !== undefined) return usage(unexpectedArgument(extra));
  // As a word or as an option: both are what people try.
  const listed = options.some((option) => LIST.test(option));
  if (listed && step !== undefined) return usage(unexpectedArgument(step));
  if (listed || step?.toLowerCase() === 'list') {
    const others = options.filter((option) => !LIST.test(option));
    return withOptions(cluster === undefined ? others : [cluster, ...others], [], 'rollback', (name) => ({
      kind: 'undo-list',
      cluster: name,
    }));
  }
  if (step !== undefined && !isStepName(step)) return usage(notAStep(step));
  const named = cluster === undefined ? options : [cluster, ...options];
  return withOptions(named, ['dry-run'], 'rollback', (name, said) => ({
    kind: 'rollback',
    cluster: name,
    step,
    dryRun: said('dry-run'),
  }));
}

const LIST = /^(?:--|[—–])list$/u;

// Slack's clients turn two hyphens into a dash.
const isOption = (word: string): boolean => /^[-—–]/u.test(word);

/** A cluster and options without values. */
function withOptions(
  words: string[],
  known: readonly string[],
  verb: string,
  make: (cluster: string, said: (option: string) => boolean) => Command,
): Command {
  const nameOf = (word: string): string => word.replace(/^(?:--|[—–])/u, '');
  const options = words.filter(isOption);
  const unknown = options.find((option) => !known.includes(nameOf(option)));
  if (unknown !== undefined) return usage(unknownOption(unknown));
  return withCluster(
    words.filter((word) => !options.includes(word)),
    verb,
    (cluster) => make(cluster, (option) => options.map(nameOf).includes(option)),
  );
}

function parsePlanning(kind: 'start' | 'plan' | 'forecast', words: string[]): Command {
  const places: string[] = [];
  let strategy: NodeStrategy | undefined;
  for (let index = 0; index < words.length; index += 1) {
    // Slack's clients turn two hyphens into a dash.
    const word = (words[index] ?? '').replace(/^[—–]/u, '--');
    if (!word.startsWith('-')) {
      places.push(word);
      continue;
    }
    const [option, inline] = word.split(/=(.*)/su);
    if (option !== '--strategy') return usage(unknownOption(word));
    if (inline === undefined) index += 1;
    const value = inline ?? words[index];
    strategy = NODE_STRATEGIES.find((known) => known === value);
    if (strategy === undefined) return usage(notAStrategy(value ?? '', NODE_STRATEGIES));
  }
  return withTarget(places, kind, (cluster, target) => ({ kind, cluster, target, strategy }));
}

function withTarget(words: string[], verb: string, make: (cluster: string, target: string | undefined) => Command): Command {
  const [, version, extra] = words;
  if (extra !== undefined) return usage(unexpectedArgument(extra));
  return withCluster(words.slice(0, 1), verb, (cluster) => {
    const target = version === undefined ? undefined : /^v?(1\.\d{1,3})$/u.exec(version)?.[1];
    if (version !== undefined && target === undefined) return usage(notAMinor(version));
    return make(cluster, target);
  });
}

function withCluster(words: string[], verb: string, make: (cluster: string) => Command): Command {
  const [cluster, extra] = words;
  if (cluster === undefined) return usage(whichCluster(verb));
  if (!CLUSTER_NAME.test(cluster)) return usage(notAClusterName(cluster));
  if (extra !== undefined) return usage(unexpectedArgument(extra));
  return make(cluster);
}

function usage(problem: string): Command {
  return { kind: 'usage', problem };
}
