/** `belay rehearse`: a whole upgrade on the twin. */
import { Command, InvalidArgumentError, Option } from 'commander';
import type { RehearseOptions } from '../../rehearsal/play/options.ts';
import { faultsHelp } from '../../rehearsal/world/faults/help.ts';
import { FLEET_SIZES } from '../../rehearsal/scenarios/fleet-size.ts';
import { oneOf } from '../shared/context.ts';
import { openSnapshot } from '../shared/snapshot.ts';
import { CliError, EXIT } from '../shared/errors.ts';
import { refuseUnwritable } from '../shared/output.ts';
import {
  notWithFleet,
  notWithSnapshot,
  targetOfSnapshot,
  targetWithoutSnapshot,
  writeAFleet,
  writeANumber,
  writeAPort,
} from '../messages/arguments.ts';

interface Options {
  scenario?: string;
  snapshot?: string;
  target?: string;
  fleet?: number;
  speed?: number;
  kubernetes: 'twin' | 'real';
  auto?: 'approve' | 'ask';
  kill: string[];
  fault: string[];
  json?: string;
  worldOnly?: boolean;
  endpoints?: string;
  port?: number;
  keep?: boolean;
}

export function rehearseCommand(): Command {
  return new Command('rehearse')
    .description(
      'rehearse an upgrade: the real Temporal and Bolt app, with stand-ins for EKS, Kubernetes, Slack and Prometheus on 127.0.0.1',
    )
    .option('--scenario <name>', 'scenario to play; an unknown name lists all (default: seed-000)')
    .option('--snapshot <file>', 'rehearse the upgrade of your own cluster, from a snapshot of it (belay snapshot)')
    .option('--target <minor>', 'with --snapshot: the Kubernetes version to upgrade to, such as 1.34')
    .option(
      '--fleet <n>',
      'a campaign over this many clusters in three environments and two accounts, ring by ring; one fails in the second ring',
      fleet,
    )
    .option('--speed <n>', 'how many times faster than real time (default: 60)', positive)
    .option('--auto <mode>', 'approve: a persona presses the buttons; ask: you do (default: ask on a terminal)', oneOf('approve', 'ask'))
    .option(
      '--kubernetes <kind>',
      'twin: a stand-in; real: kube-apiserver, etcd, Karpenter, Istio and Prometheus, built once if missing (scenario whole, speed 20)',
      oneOf('twin', 'real'),
      'twin',
    )
    .addOption(repeatable('--kill <process@phase>', 'send SIGKILL to worker, slack or temporal during a phase; repeatable'))
    .addOption(
      repeatable('--fault <area:what[=value][@moment]>', 'inject a fault, such as eks:throttle@control-plane; see below; repeatable'),
    )
    .option('--json <file>', 'when it ends, write what happened to this file')
    .option('--world-only', 'start only the stand-ins and Temporal, for other clients')
    .option('--endpoints <file>', 'with --world-only: write the addresses to this file, as JSON')
    .option('--port <port>', "port of the channel's page (default: a free one)", port)
    .option('--keep', 'keep the database, logs and records at the end')
    .option('--debug', 'show stack traces of errors')
    .addHelpText('after', faultsHelp)
    .addHelpText(
      'after',
      '\nExit codes: 0 the upgrade completed and left nothing behind (with --fleet: the campaign completed, and each run ended as expected) · 1 could not run · 2 anything else',
    )
    .action(async (options: Options) => {
      const { rehearse, rehearseFleet, RefusedSnapshot } = await import('../../rehearsal/main.ts');
      const { kill, fault, snapshot: file, target, ...rest } = options;
      refuseBesideSnapshot(options);
      refuseUnwritable('--json', options.json);
      refuseUnwritable('--endpoints', options.endpoints);
      // Whatever runs this runs Belay's processes.
      const [, program] = process.argv;
      const auto = options.auto ?? (process.stdin.isTTY && process.stdout.isTTY ? 'ask' : 'approve');
      if (options.fleet !== undefined) {
        refuseBesideFleet(options);
        return endWith(await rehearseFleet({ ...rest, program, fleet: options.fleet, speed: options.speed ?? 60, auto }));
      }
      const request: RehearseOptions = {
        ...rest,
        program,
        // Real programs take their own time, whatever the world's.
        scenario: options.scenario ?? (options.kubernetes === 'real' ? 'whole' : 'seed-000'),
        speed: options.speed ?? (options.kubernetes === 'real' ? 20 : 60),
        kills: kill,
        faults: fault,
        auto,
        ...(file === undefined || target === undefined ? {} : { snapshot: { of: await openSnapshot(file), target } }),
      };
      try {
        endWith(await rehearse(request));
      } catch (error) {
        throw error instanceof RefusedSnapshot ? new CliError(error.message, EXIT.refused) : error;
      }
    });
}

function endWith({ ok, why }: { ok: boolean; why: string }): void {
  if (!ok) throw new CliError(why, EXIT.refused);
}

/** Throws for what is about another cluster, and for half of the two options. */
function refuseBesideSnapshot({ scenario, fleet: size, snapshot, target }: Options): void {
  if (snapshot === undefined) {
    if (target !== undefined) throw new CliError(targetWithoutSnapshot());
    return;
  }
  if (scenario !== undefined) throw new CliError(notWithSnapshot('--scenario'));
  if (size !== undefined) throw new CliError(notWithSnapshot('--fleet'));
  if (target === undefined) throw new CliError(targetOfSnapshot());
}

/** Throws for what is about one cluster. */
function refuseBesideFleet({ scenario, kubernetes, kill, fault }: Options): void {
  const flags = {
    '--scenario': scenario !== undefined,
    '--kubernetes real': kubernetes === 'real',
    '--kill': kill.length > 0,
    '--fault': fault.length > 0,
  };
  const wrong = Object.entries(flags).find(([, given]) => given);
  if (wrong !== undefined) throw new CliError(notWithFleet(wrong[0]));
}

/** None by default, and the help says so in a word. */
const repeatable = (flags: string, says: string): Option => new Option(flags, says).argParser(collect).default([], 'none');

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

function fleet(value: string): number {
  const { least, most } = FLEET_SIZES;
  const number = Number(value);
  if (!Number.isInteger(number) || number < least || number > most) throw new InvalidArgumentError(writeAFleet(least, most));
  return number;
}

function positive(value: string): number {
  const number = Number(value);
  if (!Number.isFinite(number) || number <= 0 || number > 3600) throw new InvalidArgumentError(writeANumber(3600));
  return number;
}

function port(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0 || number > 65_535) throw new InvalidArgumentError(writeAPort());
  return number;
}
