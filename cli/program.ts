/** The `belay` command: registers one file per command. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { breakGlassCommand } from './commands/break-glass.ts';
import { adoptCommand } from './commands/adopt.ts';
import { auditCommand } from './commands/audit.ts';
import { campaignCommand } from './commands/campaign.ts';
import { checkCommand } from './commands/check.ts';
import { codecServerCommand } from './commands/codec-server.ts';
import { completeCommand, completionCommand } from './commands/completion.ts';
import { conformanceCommand } from './commands/conformance.ts';
import { controlCommand } from './commands/control.ts';
import { decideCommand } from './commands/decide.ts';
import { doctorCommand } from './commands/doctor.ts';
import { extendCommand } from './commands/extend.ts';
import { failedCommand } from './commands/failed.ts';
import { fleetCommand } from './commands/fleet.ts';
import { forecastCommand } from './commands/forecast.ts';
import { handoverCommand } from './commands/handover.ts';
import { historyCommand } from './commands/history.ts';
import { initCommand } from './commands/init.ts';
import { logsCommand } from './commands/logs.ts';
import { migrateCommand } from './commands/migrate.ts';
import { paceCommand } from './commands/pace.ts';
import { permissionsCommand } from './commands/permissions.ts';
import { planCommand } from './commands/plan.ts';
import { reconcileCommand } from './commands/reconcile.ts';
import { rehearseCommand } from './commands/rehearse.ts';
import { reportCommand } from './commands/report.ts';
import { rollbackCommand } from './commands/rollback.ts';
import { schemaCommand } from './commands/schema.ts';
import { signingKeyCommand } from './commands/signing-key.ts';
import { slackCommand } from './commands/slack.ts';
import { snapshotCommand } from './commands/snapshot.ts';
import { startCommand } from './commands/start.ts';
import { statusCommand } from './commands/status.ts';
import { upgradeSelfCommand } from './commands/upgrade-self.ts';
import { workerCommand } from './commands/worker.ts';

export function createProgram(): Command {
  const program = new Command('belay')
    .description('A durable runbook for Amazon EKS upgrades.')
    .version(version(), '-V, --version', 'print the version')
    .addHelpText('after', '\nA first day: belay rehearse, then belay init, belay doctor, belay plan CLUSTER --target 1.34.')
    .showHelpAfterError('Try the command with --help.');
  const commands = [
    checkCommand(),
    planCommand(),
    forecastCommand(),
    snapshotCommand(),
    fleetCommand(),
    startCommand(),
    rollbackCommand(),
    statusCommand(),
    logsCommand(),
    campaignCommand(),
    decideCommand(),
    controlCommand('pause'),
    controlCommand('resume'),
    controlCommand('abort'),
    failedCommand('retry'),
    failedCommand('skip'),
    paceCommand(),
    extendCommand(),
    handoverCommand(),
    breakGlassCommand(),
    historyCommand(),
    reportCommand(),
    auditCommand(),
    reconcileCommand(),
    adoptCommand(),
    workerCommand(),
    slackCommand(),
    codecServerCommand(),
    rehearseCommand(),
    initCommand(),
    signingKeyCommand(),
    doctorCommand(),
    conformanceCommand(),
    migrateCommand(),
    permissionsCommand(),
    schemaCommand(),
    upgradeSelfCommand(),
    completionCommand(),
  ];
  for (const command of commands) program.addCommand(command);
  program.addCommand(
    completeCommand(() => program),
    { hidden: true },
  );
  return program;
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const parsed: unknown = JSON.parse(text);
  return typeof parsed === 'object' && parsed !== null && 'version' in parsed ? String(parsed.version) : 'unknown';
}
