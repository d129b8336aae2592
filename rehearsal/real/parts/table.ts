/** The real parts of a rehearsal, in the order in which they are built: what each is made of, and where its source is pinned. */

/** The two consecutive minors whose control planes are there. */
export const MINORS = ['1.33', '1.34'] as const;
export type Minor = (typeof MINORS)[number];

/** Patch that the modules in test/real/go pin; `/version` tells it. */
const PATCHES: Record<Minor, string> = { '1.33': '1.33.13', '1.34': '1.34.4' };

export const CONTROL_PLANE = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;
export type ControlPlaneProgram = (typeof CONTROL_PLANE)[number];

export type Source =
  /** A package built in a Go module of test/real/go, which pins it and all that it needs. */
  | { kind: 'module'; folder: string; package: string; ldflags?: string }
  /** A package whose own module has no replace directives. `program`: what `go install` calls it. */
  | { kind: 'install'; package: string; program: string }
  /** A program in a Debian package. */
  | { kind: 'debian'; package: string };

export interface Part {
  /** The program's file name. */
  name: string;
  /** Of Kubernetes, where a part comes once for each. */
  minor?: Minor;
  source: Source;
  /** A cold build on two cores, for people who wait. */
  minutes: number;
}

const kubernetes = (minor: Minor, name: ControlPlaneProgram, minutes: number): Part => {
  const version = 'k8s.io/component-base/version';
  const [gitMajor = '', gitMinor = ''] = minor.split('.');
  const told = { gitVersion: `v${PATCHES[minor]}`, gitMajor, gitMinor };
  const flags = Object.entries(told).map(([key, value]) => `-X ${version}.${key}=${value}`);
  return {
    name,
    minor,
    minutes,
    source: {
      kind: 'module',
      folder: `kubernetes-${minor}`,
      package: `k8s.io/kubernetes/cmd/${name}`,
      ldflags: ['-s', '-w', ...flags].join(' '),
    },
  };
};

const STRIPPED = '-s -w';

/** Also the images' version in docker-compose.yml. */
export const TEMPORAL_VERSION = '1.31.2';

/** The last of the minor before, which an upgrade of the server starts from. */
export const PREVIOUS_TEMPORAL_VERSION = '1.30.4';

/** `command`: folder below cmd/ of the server's module, which names the program. */
function temporal(name: string, command: string, minutes: number, version = TEMPORAL_VERSION): Part {
  const program = command.split('/').at(-1) ?? command;
  const source = `go.temporal.io/server/cmd/${command}@v${version}`;
  return { name, minutes, source: { kind: 'install', package: source, program } };
}

/** The contract suite needs those up to the schedulers. */
export const PARTS: readonly Part[] = [
  // First: rehearsals on stand-ins want it as well, where a mesh is Helm's.
  { name: 'helm', minutes: 3, source: { kind: 'install', package: 'helm.sh/helm/v3/cmd/helm@v3.22.0', program: 'helm' } },
  { name: 'etcd', minutes: 1, source: { kind: 'module', folder: 'etcd', package: 'go.etcd.io/etcd/server/v3', ldflags: STRIPPED } },
  kubernetes('1.34', 'kube-apiserver', 5),
  kubernetes('1.33', 'kube-apiserver', 5),
  kubernetes('1.34', 'kube-controller-manager', 2),
  kubernetes('1.34', 'kube-scheduler', 1),
  kubernetes('1.33', 'kube-controller-manager', 2),
  kubernetes('1.33', 'kube-scheduler', 1),
  { name: 'prometheus', minutes: 1, source: { kind: 'debian', package: 'prometheus' } },
  { name: 'kwok', minutes: 2, source: { kind: 'install', package: 'sigs.k8s.io/kwok/cmd/kwok@v0.7.0', program: 'kwok' } },
  {
    name: 'karpenter',
    minutes: 4,
    source: { kind: 'module', folder: 'karpenter', package: 'belay.dev/real/karpenter', ldflags: STRIPPED },
  },
  {
    name: 'istiod',
    minutes: 9,
    source: { kind: 'module', folder: 'istio', package: 'istio.io/istio/pilot/cmd/pilot-discovery', ldflags: STRIPPED },
  },
  { name: 'istio-parts', minutes: 2, source: { kind: 'module', folder: 'istio', package: 'belay.dev/real/istio', ldflags: STRIPPED } },
  {
    name: 'istioctl',
    minutes: 5,
    source: { kind: 'module', folder: 'istioctl', package: 'istio.io/istio/istioctl/cmd/istioctl', ldflags: STRIPPED },
  },
  {
    name: 'karpenter-conversion',
    minutes: 2,
    source: { kind: 'module', folder: 'karpenter-conversion', package: 'belay.dev/real/karpenter-conversion', ldflags: STRIPPED },
  },
];

/**
 * A Temporal as teams run it, for `npm run test:production`: server, its schema tool, its debugger. No rehearsal needs it, so it is built where
 * it is named only. The modules have no replace directives; they need Go 1.26.4 (go.mod of go.temporal.io/server v1.31.2).
 */
export const TEMPORAL_PARTS: readonly Part[] = [
  temporal('temporal-server', 'server', 8),
  // The name in the image temporalio/admin-tools, by which deploy/temporal/setup-schema.sh calls it.
  temporal('temporal-sql-tool', 'tools/sql', 1),
  temporal('tdbg', 'tools/tdbg', 2),
];

/** What people upgrade from. */
export const PREVIOUS_TEMPORAL_PARTS: readonly Part[] = [
  temporal('temporal-server-before', 'server', 8, PREVIOUS_TEMPORAL_VERSION),
  temporal('temporal-sql-tool-before', 'tools/sql', 1, PREVIOUS_TEMPORAL_VERSION),
];

/** A server that speaks S3, with conditional writes and Object Lock, for `npm run test:s3`: built where it is named only. */
export const S3_PARTS: readonly Part[] = [
  {
    name: 'versitygw',
    minutes: 8,
    source: { kind: 'install', package: 'github.com/versity/versitygw/cmd/versitygw@v1.8.0', program: 'versitygw' },
  },
];

const ISTIO = ['istiod', 'istio-parts', 'helm'];
/** For tests of their own; no cluster runs them. */
const FOR_TESTS = ['karpenter-conversion', 'istioctl'];

/** What a cluster needs: Karpenter and the mesh's parts only where there is one. */
export const partsFor = (cluster: { mesh: boolean; karpenter: boolean }): readonly Part[] =>
  PARTS.filter(
    ({ name }) => !FOR_TESTS.includes(name) && (cluster.mesh || !ISTIO.includes(name)) && (cluster.karpenter || name !== 'karpenter'),
  );

export const isControlPlane = ({ name }: Pick<Part, 'name'>): boolean =>
  name === 'etcd' || CONTROL_PLANE.some((program) => program === name);

/** "kube-apiserver 1.34", "etcd". */
export const partLabel = ({ name, minor }: Part): string => (minor === undefined ? name : `${name} ${minor}`);
