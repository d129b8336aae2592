/** The `belay` command: which module each of its commands is in. One that is not asked for is not loaded. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { type CommandName, LISTING } from './listing.ts';

const COMMANDS: Record<CommandName, () => Promise<Command>> = {
  check: async () => (await import('./commands/check.ts')).checkCommand(),
  plan: async () => (await import('./commands/plan.ts')).planCommand(),
  forecast: async () => (await import('./commands/forecast.ts')).forecastCommand(),
  snapshot: async () => (await import('./commands/snapshot.ts')).snapshotCommand(),
  fleet: async () => (await import('./commands/fleet.ts')).fleetCommand(),
  start: async () => (await import('./commands/start.ts')).startCommand(),
  apply: async () => (await import('./commands/apply.ts')).applyCommand(),
  rollback: async () => (await import('./commands/rollback.ts')).rollbackCommand(),
  status: async () => (await import('./commands/status.ts')).statusCommand(),
  logs: async () => (await import('./commands/logs.ts')).logsCommand(),
  campaign: async () => (await import('./commands/campaign.ts')).campaignCommand(),
  decide: async () => (await import('./commands/decide.ts')).decideCommand(),
  pause: async () => (await import('./commands/control.ts')).controlCommand('pause'),
  resume: async () => (await import('./commands/control.ts')).controlCommand('resume'),
  abort: async () => (await import('./commands/control.ts')).controlCommand('abort'),
  retry: async () => (await import('./commands/failed.ts')).failedCommand('retry'),
  skip: async () => (await import('./commands/failed.ts')).failedCommand('skip'),
  pace: async () => (await import('./commands/pace.ts')).paceCommand(),
  extend: async () => (await import('./commands/extend.ts')).extendCommand(),
  handover: async () => (await import('./commands/handover.ts')).handoverCommand(),
  'break-glass': async () => (await import('./commands/break-glass.ts')).breakGlassCommand(),
  history: async () => (await import('./commands/history.ts')).historyCommand(),
  report: async () => (await import('./commands/report.ts')).reportCommand(),
  audit: async () => (await import('./commands/audit.ts')).auditCommand(),
  reconcile: async () => (await import('./commands/reconcile.ts')).reconcileCommand(),
  adopt: async () => (await import('./commands/adopt.ts')).adoptCommand(),
  worker: async () => (await import('./commands/worker.ts')).workerCommand(),
  slack: async () => (await import('./commands/slack.ts')).slackCommand(),
  'codec-server': async () => (await import('./commands/codec-server.ts')).codecServerCommand(),
  mcp: async () => (await import('./commands/mcp.ts')).mcpCommand(),
  rehearse: async () => (await import('./commands/rehearse.ts')).rehearseCommand(),
  init: async () => (await import('./commands/init.ts')).initCommand(),
  'signing-key': async () => (await import('./commands/signing-key.ts')).signingKeyCommand(),
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand(),
  conformance: async () => (await import('./commands/conformance.ts')).conformanceCommand(),
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand(),
  permissions: async () => (await import('./commands/permissions.ts')).permissionsCommand(),
  schema: async () => (await import('./commands/schema.ts')).schemaCommand(),
  validate: async () => (await import('./commands/validate.ts')).validateCommand(),
  completion: async () => (await import('./commands/completion.ts')).completionCommand(),
  'upgrade-self': async () => (await import('./commands/upgrade-self.ts')).upgradeSelfCommand(),
};

const COMPLETE = '__complete';

const isCommand = (word: string): word is CommandName => Object.hasOwn(COMMANDS, word);
const NAMES = Object.keys(LISTING).filter(isCommand);

/** For `args`, what follows `belay`: the command that they name is loaded, the others are there by name and description. */
export async function programFor(args: readonly string[]): Promise<Command> {
  const asked = commandIn(args);
  const program = await build(async (name) => (name === asked ? await COMMANDS[name]() : listed(name)));
  // What completion scripts call, and nobody else.
  if (asked === COMPLETE) program.addCommand((await import('./commands/completion.ts')).completeCommand(programFor), { hidden: true });
  return program;
}

/** With every command loaded: for documents. */
export async function wholeProgram(): Promise<Command> {
  return await build(async (name) => await COMMANDS[name]());
}

async function build(commandOf: (name: CommandName) => Promise<Command>): Promise<Command> {
  const program = new Command('belay')
    .description('A durable runbook for Amazon EKS upgrades.')
    .version(version(), '-V, --version', 'print the version')
    .addHelpText('after', '\nTo begin: belay rehearse, then belay init, belay doctor, belay plan CLUSTER --target 1.34.')
    .showHelpAfterError('Try the command with --help.');
  for (const command of await Promise.all(NAMES.map(commandOf))) program.addCommand(command);
  return program;
}

/** The first word that is no option, as Commander finds it: options of `belay` itself take no values. `help check` is about `check`. */
function commandIn(args: readonly string[]): string | undefined {
  const [first, second] = args.filter((arg) => !arg.startsWith('-'));
  return first === 'help' ? second : first;
}

/** As far as the help of `belay` shows a command, and as its suggestions know it. */
function listed(name: CommandName): Command {
  const [takes, description] = LISTING[name];
  const command = new Command(name).description(description);
  for (const word of takes.split(' ').filter((each) => each !== '')) {
    if (word === '[options]') command.option('--debug');
    else command.argument(word);
  }
  return command;
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const parsed: unknown = JSON.parse(text);
  return typeof parsed === 'object' && parsed !== null && 'version' in parsed ? String(parsed.version) : 'unknown';
}
