/**
 * `npm run bench -- lists`: how often one upgrade lists each kind of object of the cluster. How often it looks depends on the machine; what the watch of
 * the cluster's state lists at each of its looks is therefore counted apart.
 */
import { parseArgs } from 'node:util';
import { table } from '../../../cli/render/words.ts';
import { rehearse } from '../../../rehearsal/main.ts';
import { onRequest, type SeenRequest } from '../../../rehearsal/processes/requests.ts';

const WARNINGS = 'events (type=Warning)';
const WATCHED = [WARNINGS, 'events (reason=DisruptionBlocked)', 'pods', 'nodes', 'nodeclaims', 'deployments', 'statefulsets', 'daemonsets'];

export async function benchLists(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      scenario: { type: 'string', default: 'seed-002' },
      speed: { type: 'string', default: '600' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(
      'npm run bench -- lists [--scenario seed-002] [--speed 600]\n\nHow often one upgrade lists each kind of object.\n',
    );
    return;
  }
  const speed = Number(values.speed);
  if (!(speed > 0)) throw new RangeError(`--speed ${values.speed}: write a number above 0`);
  const seen: SeenRequest[] = [];
  const stop = onRequest((request) => void seen.push(request));
  try {
    const { ok, why, stage } = await rehearse({
      scenario: values.scenario,
      speed,
      auto: 'approve',
      kills: [],
      faults: [],
      say: () => undefined,
    });
    if (!ok || stage === undefined) throw new Error(`${values.scenario}: ${why}`);
    const port = Number(new URL(stage.kubernetes.url).port);
    const counts = new Map<string, number>();
    for (const each of seen.filter((request) => request.port === port)) {
      const listed = listedIn(each.path);
      if (listed !== undefined) counts.set(listed, (counts.get(listed) ?? 0) + 1);
    }
    // One list of warnings for each look (activities/observe/cluster-state).
    const looks = counts.get(WARNINGS) ?? 0;
    for (const kind of WATCHED) if (counts.has(kind)) counts.set(kind, Math.max(0, (counts.get(kind) ?? 0) - looks));
    const rows = [...counts]
      .filter(([, count]) => count > 0)
      .toSorted(([, a], [, b]) => b - a)
      .map(([kind, count]) => [kind, String(count)]);
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    process.stdout.write(`${table(['listed', 'times'], [...rows, ['all', String(total)]])}\n\n`);
    process.stdout.write(`beside ${looks} looks of the cluster's watch, of ${WATCHED.length} lists each\n`);
  } finally {
    stop();
  }
}

/** "nodes", "pods in shop", with the selector where there is one; undefined: no list, or a further page of one. */
function listedIn(path: string): string | undefined {
  const { pathname, searchParams } = new URL(path, 'http://twin');
  if (searchParams.has('continue') || searchParams.has('watch')) return undefined;
  const match = /^\/(?:api|apis\/[^/]+)\/[^/]+(?:\/namespaces\/([^/]+))?\/([a-z0-9]+)$/.exec(pathname);
  if (match === null) return undefined;
  const [, namespace, plural = ''] = match;
  const selector = searchParams.get('labelSelector') ?? searchParams.get('fieldSelector');
  return `${plural}${namespace === undefined ? '' : ` in ${namespace}`}${selector === null ? '' : ` (${selector})`}`;
}
