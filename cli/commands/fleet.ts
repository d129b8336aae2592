/** `belay fleet`: every cluster of belay.yaml, or of an account without one, with its version, support dates, open run and cost of waiting. Reads only. */
import { once } from 'node:events';
import { Command, InvalidArgumentError } from 'commander';
import { REGION } from '../../domain/core/cluster-ref.ts';
import { defined } from '../../domain/core/defined.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { nearest } from '../../domain/policy/config/base/nearest.ts';
import { fleetView, type FleetView } from '../../domain/run/fleet-view/view.ts';
import { renderFleetCsv } from '../../render/fleet/csv.ts';
import { renderFleetHtml } from '../../render/fleet/html.ts';
import { renderFleetJson } from '../../render/fleet/json.ts';
import {
  addressNeedsServe,
  noClusterMatches,
  noSuchValue,
  regionNotListed,
  serveAlone,
  servingFleet,
  somethingDue,
  writeDaysWithin,
} from '../messages/fleet.ts';
import { environmentNeedsFile, fleetWithoutFile, noClusterIn, notARegion, regionOfContext } from '../messages/without-file.ts';
import { renderFleet, whatWasNotRead } from '../render/fleet.ts';
import type { FoundFleet } from '../../worker/local/without-file/find-fleet.ts';
import { choiceOf, type ClusterOptions, inWords, withSignIn } from '../shared/cluster.ts';
import { type CommonOptions, oneOf, parsePort, print, printText, readConfig, say, stopSignal, withCommon } from '../shared/context.ts';
import { CliError, EXIT } from '../shared/errors.ts';
import { writeOutput } from '../shared/output.ts';

const FORMATS = ['text', 'json', 'csv', 'html'] as const;

interface Filters {
  environment?: string[];
  account?: string[];
  region?: string[];
  cluster?: string[];
}

interface FleetOptions extends CommonOptions, Filters, Omit<ClusterOptions, 'cluster' | 'region'> {
  format: (typeof FORMATS)[number];
  html?: string;
  within: number;
  exitCode?: boolean;
  serve?: boolean;
  host?: string;
  port?: number;
}

const list = (value: string): string[] => value.split(',').map((each) => each.trim());

export function fleetCommand(): Command {
  return withSignIn(withCommon(new Command('fleet')))
    .description(
      'show all clusters at a glance: versions, support dates, open runs, cost of waiting; reads only, works without Temporal too',
    )
    .option('-o, --format <format>', FORMATS.join(', '), oneOf(...FORMATS), 'text')
    .option('--html <file>', 'also write the page to this file: self-contained, loads nothing from elsewhere')
    .option('--environment <names>', 'only clusters of these environments, such as dev,prod', list)
    .option('--account <ids>', 'only clusters in these AWS accounts', list)
    .option('--region <names>', 'only clusters in these regions; without belay.yaml, the regions to look in', list)
    .option('--cluster <names>', 'only these clusters', list)
    .option('--within <days>', 'treat what needs action within this many days as due', parseDays, 60)
    .option('--exit-code', 'for CI: exit code 2 if something is due, 3 if nothing is due but something could not be read')
    .option('--serve', 'serve the page over HTTP, refreshed every minute while it is being viewed; SIGTERM ends it')
    .option('--host <address>', 'with --serve: address to listen on (default 127.0.0.1); others need BELAY_FLEET_TOKEN')
    .option('-p, --port <port>', 'with --serve: port to listen on (default 8235)', parsePort)
    .addHelpText(
      'after',
      '\nA cluster is due when support has ended, when extended support costs money now, or when standard support ends within --within days.\nExit codes with --exit-code: 0 nothing is due · 2 something is due · 3 nothing is due, but something could not be read · 1 could not run',
    )
    .action(async (options: FleetOptions) => {
      const { config, found } = await configOf(options);
      const names = found === undefined ? chosen(config, options, 'belay.yaml') : chosenOfAccount(found, options);
      const [{ openFleet }, { readAccount }, { windowFits }] = await Promise.all([
        import('../../worker/local/open-fleet.ts'),
        import('../../worker/local/without-file/read-account.ts'),
        import('../../worker/local/window-fits.ts'),
      ]);
      const fits = windowFits(config);
      const reading = async () => (found === undefined ? await openFleet(config, names) : await readAccount(found, names));
      const read = async (): Promise<FleetView> => fleetView(await reading(), options.within, fits);
      if (options.serve === true) return await serve(options, read);
      if (options.host !== undefined || options.port !== undefined) throw new CliError(addressNeedsServe());
      const view = await read();
      (options.format === 'text' ? printText : print)(render(view, options.format));
      if (found !== undefined && options.format !== 'json') say(fleetWithoutFile());
      // Its rows are clusters.
      if (options.format === 'csv') for (const { region, why } of view.unreadRegions) say(regionNotListed(region, why));
      if (options.html !== undefined) writeOutput('--html', options.html, renderFleetHtml(view));
      if (options.exitCode === true) failWhere(view);
    });
}

/** Without belay.yaml: every cluster of the account in the regions, `found`. */
async function configOf(options: FleetOptions): Promise<{ config: Config; found?: FoundFleet }> {
  const { context, kubeconfig, profile, role, config, debug, region: regions } = options;
  const signIn = defined({ context, kubeconfig, profile, role });
  const { from } = choiceOf(undefined, { ...signIn, ...defined({ config, debug }) });
  if (from === 'file') return { config: readConfig(options) };
  if (options.environment !== undefined) throw new CliError(environmentNeedsFile());
  if (regions !== undefined && (context ?? kubeconfig) !== undefined) throw new CliError(regionOfContext());
  const wrong = regions?.find((each) => !REGION.test(each));
  if (wrong !== undefined) throw new CliError(notARegion(wrong));
  const { findFleet } = await import('../../worker/local/without-file/find-fleet.ts');
  const found = await inWords(findFleet({ ...signIn, ...defined({ regions }) }));
  return { config: found.config, found };
}

async function serve({ host = '127.0.0.1', port = 8235, ...others }: FleetOptions, read: () => Promise<FleetView>): Promise<void> {
  if (others.exitCode === true || others.html !== undefined || others.format !== 'text') throw new CliError(serveAlone());
  const [{ startFleetServer }, { createLogger }] = await Promise.all([
    import('../../worker/local/fleet-server.ts'),
    import('../../worker/config/log.ts'),
  ]);
  const log = createLogger('belay-fleet');
  const token = process.env['BELAY_FLEET_TOKEN'];
  const signal = stopSignal();
  const server = await startFleetServer({
    read,
    host,
    port,
    log: (line) => log.warn(line),
    ...(token === undefined || token === '' ? {} : { token }),
  });
  log.info(servingFleet(`http://${host}:${server.port}`));
  if (!signal.aborted) await once(signal, 'abort');
  await server.close();
}

function render(view: FleetView, format: FleetOptions['format']): string {
  switch (format) {
    case 'text':
      return renderFleet(view, Intl.DateTimeFormat().resolvedOptions().timeZone);
    case 'json':
      return renderFleetJson(view);
    case 'csv':
      return renderFleetCsv(view);
    case 'html':
      return renderFleetHtml(view);
  }
}

/** What is due goes before what was not read, as `refresh status` has it (github.com/dantech2000/refresh, docs/concepts/exit-codes.md): people act on it first. */
function failWhere(view: FleetView): void {
  const { outcome, counts, withinDays } = view;
  if (outcome === 'due') throw new CliError(somethingDue(counts.due, withinDays), EXIT.refused);
  if (outcome === 'unread') throw new CliError(whatWasNotRead(view).join(' '), EXIT.unknown);
}

/** Names that pass every filter. A value that no cluster has is a slip, and would otherwise look like a fleet without worries. */
function chosen(config: Config, filters: Filters, where: string): string[] {
  const of: Record<keyof Filters, (name: string) => string> = {
    environment: (name) => config.clusters.get(name)?.policy.environment ?? '',
    account: (name) => config.clusters.get(name)?.access.account ?? '',
    region: (name) => config.clusters.get(name)?.access.region ?? '',
    cluster: (name) => name,
  };
  const keys = ['environment', 'account', 'region', 'cluster'] as const;
  for (const key of keys) {
    const values = [...new Set(config.clusterNames.map(of[key]))];
    const wrong = (filters[key] ?? []).find((wanted) => !values.includes(wanted));
    if (wrong !== undefined) throw new CliError(noSuchValue(`--${key}`, wrong, nearest(wrong, values), values, where));
  }
  const names = config.clusterNames.filter((name) => keys.every((key) => filters[key]?.includes(of[key](name)) ?? true));
  if (names.length === 0) throw new CliError(noClusterMatches(where));
  return names;
}

/** Its regions are where to look: one without clusters is said, and is no slip. */
function chosenOfAccount(
  { config, unreadRegions }: FoundFleet,
  { region: regions = [], ...filters }: Filters & Pick<FleetOptions, 'format'>,
): string[] {
  const found = new Set([
    ...[...config.clusters.values()].map(({ access }) => access.region),
    ...unreadRegions.map(({ region }) => region),
  ]);
  const empty = [...new Set(regions)].filter((each) => !found.has(each));
  if (empty.length > 0 && filters.format !== 'json') say(noClusterIn(empty));
  return chosen(config, filters, 'this account');
}

function parseDays(value: string): number {
  const days = /^\d{1,3}$/.test(value) ? Number(value) : 0;
  if (days < 1 || days > 730) throw new InvalidArgumentError(writeDaysWithin());
  return days;
}
