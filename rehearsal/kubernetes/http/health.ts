/** /version, /livez, /readyz and /healthz: what load balancers and people ask first. */

export interface Plain {
  status: number;
  text: string;
}

/** Checks that a real server lists under ?verbose, as far as the twin has what they check. */
const CHECKS = [
  'ping',
  'log',
  'etcd',
  'informer-sync',
  'poststarthook/start-apiextensions-informers',
  'poststarthook/start-apiextensions-controllers',
  'poststarthook/crd-informer-synced',
  'poststarthook/bootstrap-controller',
  'poststarthook/rbac/bootstrap-roles',
  'poststarthook/scheduling/bootstrap-system-priority-classes',
  'poststarthook/apiservice-discovery-controller',
  'autoregister-completion',
];

/** GET /readyz, /livez/etcd, /readyz?verbose; undefined when the path is none of those. */
export function healthAnswer(url: URL): Plain | undefined {
  const match = /^\/(healthz|livez|readyz)(?:\/(.+))?$/.exec(url.pathname);
  if (!match) return undefined;
  const [, endpoint = '', single] = match;
  const checks = endpoint === 'readyz' ? CHECKS : CHECKS.filter((check) => check !== 'informer-sync');
  if (single !== undefined) return checks.includes(single) ? { status: 200, text: 'ok' } : { status: 404, text: '404 page not found\n' };
  if (!url.searchParams.has('verbose')) return { status: 200, text: 'ok' };
  const excluded = url.searchParams.getAll('exclude');
  const lines = checks.map((check) => (excluded.includes(check) ? `[+]${check} excluded: ok` : `[+]${check} ok`));
  return { status: 200, text: [...lines, `${endpoint} check passed`, ''].join('\n') };
}

/** GET /version. `version` is a minor, such as "1.34". */
export function versionDocument(version: string): object {
  const [major = '1', minor = '0'] = version.split('.');
  // Since 1.33 with the emulation that KEP-4330 brought.
  const emulation = {
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
  };
  return {
    major,
    minor,
    ...(Number(minor) >= 33 ? emulation : {}),
    gitVersion: `v${version}.7-eks-113cf36`,
    gitCommit: '0000000000000000000000000000000000000000',
    gitTreeState: 'clean',
    buildDate: '2026-01-15T00:00:00Z',
    goVersion: 'go1.24.6',
    compiler: 'gc',
    platform: 'linux/amd64',
  };
}
