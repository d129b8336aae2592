/** What can follow on a command line: commands, options and their words, clusters, contexts of a kubeconfig, open gates and their choices. */
import type { Argument, Command, Option } from 'commander';

export interface Lookups {
  /** Of belay.yaml, or of the kubeconfig where there is none. May throw. */
  clusters(): readonly string[];
  /** Of the kubeconfig, those of EKS. May throw. */
  contexts(): readonly { context: string; cluster: string }[];
  gates(cluster: string): Promise<readonly { id: string; choices: readonly string[] }[]>;
}

/** Whatever else a word is, a shell would read these, and a terminal the control characters. */
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u0020\u007f-\u009f'"\\$`;&|<>()]/;

/** `words`: what was typed after the program's name; the last one is being typed and may be empty. */
export async function candidates(program: Command, words: readonly string[], lookups: Lookups): Promise<string[]> {
  const typed = words.at(-1) ?? '';
  const { command, rest } = commandOf(program, words.slice(0, -1));
  const all = await offered(command, rest, typed, lookups);
  return [...new Set(all)].filter((word) => word.startsWith(typed) && !UNSAFE.test(word)).toSorted();
}

/** The command that is meant, and what was typed after it. */
function commandOf(program: Command, words: readonly string[]): { command: Command; rest: readonly string[] } {
  let command = program;
  for (const [at, word] of words.entries()) {
    const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (next === undefined) return { command, rest: words.slice(at) };
    command = next;
  }
  return { command, rest: [] };
}

async function offered(command: Command, rest: readonly string[], typed: string, lookups: Lookups): Promise<string[]> {
  const options = shown(command);
  const last = rest.at(-1);
  const open = options.find((option) => last !== undefined && takesValue(option) && [option.long, option.short].includes(last));
  if (open !== undefined) return valuesOfOption(open, lookups);
  const assigned = /^(--[^=]+)=/.exec(typed)?.[1];
  if (assigned !== undefined) {
    const option = options.find(({ long }) => long === assigned);
    return option === undefined ? [] : valuesOfOption(option, lookups).map((word) => `${assigned}=${word}`);
  }
  if (typed.startsWith('-')) return [...options.flatMap(({ long }) => (long === undefined ? [] : [long])), '--help'];
  const given = positional(options, rest);
  const argument = command.registeredArguments[Math.min(given.length, command.registeredArguments.length - 1)];
  const commands = rest.length === 0 ? command.commands.filter((each) => !isHidden(each)).map((each) => each.name()) : [];
  if (argument === undefined || (given.length >= command.registeredArguments.length && !argument.variadic)) return commands;
  return [...commands, ...(await valuesOf(argument, given, lookups))];
}

function valuesOfOption({ long, description, argChoices }: Option, lookups: Lookups): string[] {
  if (long === '--cluster') return lookups.contexts().map(({ cluster }) => cluster);
  if (long === '--context') return lookups.contexts().map(({ context }) => context);
  return wordsOf(description, argChoices);
}

async function valuesOf(argument: Argument, given: readonly string[], lookups: Lookups): Promise<string[]> {
  const [cluster] = given;
  switch (argument.name()) {
    case 'cluster':
    case 'clusters':
      return [...lookups.clusters()];
    case 'gate':
      return cluster === undefined ? [] : (await lookups.gates(cluster)).map(({ id }) => id);
    case 'choice': {
      const gates = cluster === undefined ? [] : await lookups.gates(cluster);
      return gates.filter(({ id }) => id.startsWith(given[1] ?? '')).flatMap(({ choices }) => choices);
    }
    default:
      return wordsOf(argument.description, argument.argChoices);
  }
}

const shown = (command: Command): Option[] => command.options.filter(({ hidden }) => !hidden);

const takesValue = ({ required, optional }: Option): boolean => required || optional;

/** Commander keeps what was said by `{ hidden: true }` to itself; ours begin so. */
const isHidden = (command: Command): boolean => command.name().startsWith('__');

/** Without options and their values. */
function positional(options: readonly Option[], rest: readonly string[]): string[] {
  const given: string[] = [];
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? '';
    if (!word.startsWith('-')) given.push(word);
    else if (options.some((option) => takesValue(option) && (option.long === word || option.short === word))) at += 1;
  }
  return given;
}

/** Words that the description of an option lists, as those of `oneOf` do: "text, json, markdown", "every-hop or once-at-the-end". */
function wordsOf(description: string, choices: readonly string[] | undefined): string[] {
  if (choices !== undefined) return [...choices];
  const [list = ''] = description.split(/[;(]/);
  const words = list
    .slice(list.lastIndexOf(':') + 1)
    .split(/,\s*(?:or\s+)?|\s+or\s+/)
    .map((word) => word.trim());
  return words.length > 1 && words.every((word) => /^[a-z][a-z0-9-]*$/.test(word)) ? words : [];
}
