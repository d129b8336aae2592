/** docs/reference/commands.md: every command of `belay`, as its own help has it, by what it is for. */
import type { Command } from 'commander';
import { wholeProgram } from '../../cli/program.ts';
import { capital } from '../../domain/core/text.ts';
import { code, GENERATED, list, next, page, sentence } from './markdown.ts';

const INTENTS: Record<string, readonly string[]> = {
  Try: ['rehearse'],
  'Check and plan': ['check', 'plan', 'snapshot', 'snapshot show', 'forecast', 'fleet'],
  Upgrade: ['start', 'apply', 'status', 'logs', 'pause', 'resume', 'abort', 'retry', 'skip', 'pace', 'handover'],
  'Many clusters': [
    'campaign plan',
    'campaign start',
    'campaign status',
    'campaign promote',
    'campaign approve',
    'campaign retry',
    'campaign beside',
    'campaign pause',
    'campaign resume',
    'campaign stop',
    'campaign proposals',
    'campaign propose',
    'campaign dismiss',
  ],
  Decide: ['decide', 'extend', 'break-glass'],
  'Roll back': ['rollback', 'campaign rollback', 'reconcile', 'adopt'],
  Records: ['history', 'report', 'audit'],
  'Set up': ['init', 'doctor', 'permissions', 'signing-key', 'schema', 'validate', 'conformance', 'migrate karpenter', 'completion'],
  Processes: ['worker', 'slack', 'codec-server', 'mcp', 'upgrade-self check'],
};

/** Said once for all commands. */
const COMMON = ['--config', '--debug'];
const CLUSTER = 'name in belay.yaml';

export async function commandsDocument(): Promise<string> {
  const commands = (await wholeProgram()).commands.flatMap(leaves);
  const missing = commands.filter(({ name }) => !Object.values(INTENTS).flat().includes(name)).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`scripts/docs/commands.ts has no intent for ${missing.join(', ')}.`);
  const shared = sharedEntries(commands);
  return page(
    '# Commands',
    GENERATED,
    [
      'For everyone at a terminal. In a checkout: `npm run belay -- COMMAND`. In the container image: `docker compose run --rm worker COMMAND`.',
      'Every command takes `--debug`, which shows where an error comes from, and all but `rehearse` take `-c, --config <file>` (default: `BELAY_CONFIG` or `belay.yaml`). `cluster` is its name in that file. Errors go to stderr and name the fix. Exit codes: 0 done, 1 could not run (arguments, configuration, connections), 2 refused or failed.',
      ['Of several commands, named after their descriptions:', list(shared.map(textOf))].join('\n\n'),
    ],
    ...Object.entries(INTENTS).flatMap(([intent, names]) => [`## ${intent}`, ...commands.filter(isOneOf(names)).flatMap(section(shared))]),
    next('Configuration', 'configuration.md'),
  );
}

interface Named {
  /** "check", "migrate karpenter" */
  name: string;
  command: Command;
}

const isOneOf =
  (names: readonly string[]) =>
  ({ name }: Named): boolean =>
    names.includes(name);

/** Commands that do something: of a family its members, and itself where it takes arguments. */
function leaves(command: Command): Named[] {
  const own = { name: command.name(), command };
  if (command.commands.length === 0) return [own];
  const members = command.commands.flatMap(leaves).map((each) => ({ ...each, name: `${command.name()} ${each.name}` }));
  return command.registeredArguments.length === 0 ? members : [own, ...members];
}

interface Entry {
  /** As it is shown: "-r, --reason <text>", "gate". */
  flags: string;
  /** "--reason", "gate" */
  name: string;
  says: string;
}

function entriesOf(command: Command): Entry[] {
  const words = command.registeredArguments
    .filter((argument) => argument.description !== CLUSTER)
    .map((argument) => ({ flags: argument.name(), name: argument.name(), says: argument.description }));
  const options = command.options
    .filter(({ long }) => !COMMON.includes(long ?? ''))
    .map((option) => ({
      flags: option.flags,
      name: option.long ?? option.flags,
      says: `${option.description}${shown(option.defaultValueDescription ?? option.defaultValue)}`,
    }));
  return [...words, ...options];
}

/** What several commands take in the same words is described once, at the top. */
function sharedEntries(commands: readonly Named[]): Entry[] {
  const all = commands.flatMap(({ command }) => entriesOf(command));
  const uses = Map.groupBy(all, textOf);
  return [...uses.values()].flatMap(([first, ...others]) => (first === undefined || others.length === 0 ? [] : [first]));
}

const textOf = ({ flags, says }: Entry): string => `${code(flags)}: ${says}`;

const section =
  (shared: readonly Entry[]) =>
  ({ name, command }: Named): string[] => {
    const words = command.registeredArguments.map((argument) => {
      const word = argument.name() + (argument.variadic ? '...' : '');
      return argument.required ? `<${word}>` : `[${word}]`;
    });
    const isShared = (entry: Entry): boolean => shared.some((one) => textOf(one) === textOf(entry));
    const usual = entriesOf(command).filter((entry) => isShared(entry) && entry.name.startsWith('-'));
    const own = entriesOf(command).filter((entry) => !isShared(entry));
    const says = sentence(capital(command.description()));
    const takes = usual.length === 0 ? '' : ` ${usual.map((entry) => code(entry.name)).join(', ')}`;
    return [
      `### belay ${name}`,
      `${words.length === 0 ? '' : `${code(words.join(' '))}: `}${says}${takes}`,
      ...(own.length === 0 ? [] : [list(own.map(textOf))]),
    ];
  };

function shown(value: unknown): string {
  if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) return '';
  return ` (default ${code(typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value))})`;
}
