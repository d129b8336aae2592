/** docs/reference/snapshot.md: the format of a snapshot, and its allow-list as the code has it. */
import { CALLS, LISTS, METADATA, WRITERS } from '../../domain/facts/snapshot/allowed/index.ts';
import type { AllowedGroup } from '../../domain/facts/snapshot/allowed/types.ts';
import { ANNOTATIONS, LABEL_DOMAINS, LABELS } from '../../domain/facts/snapshot/marks.ts';
import { code, GENERATED, list, next, page } from './markdown.ts';
import { METRICS } from '../../domain/facts/snapshot/allowed/metrics.ts';
import { DEPRECATED_CALLS } from '../../domain/tables/deprecated-calls.ts';

export function snapshotDocument(): string {
  return page(
    '# Snapshots',
    GENERATED,
    'For whoever takes a snapshot of a cluster, is asked for one, or reads one. `belay snapshot CLUSTER -o FILE` reads what plans, checks and forecasts read, with the rights that `belay check --permissions` prints, and changes nothing.',
    '## In it and not in it',
    [
      list([
        '**Allow-list**: of each object and answer the fields [below](#kubernetes) are kept, and nothing else, whatever an API adds one day.',
        '**Never**: Secrets, data of ConfigMaps, environment variables, arguments, commands, probes’ paths and headers, user data, values of add-on and Helm configurations, certificates, URLs, addresses.',
        '**Names are kept**: accounts, ARNs, namespaces, workloads, nodes, images. With `--anonymize` they are tokens (`namespace-qwerty`), the same for the same name within one snapshot and others in the next; the key is forgotten. `--map FILE` writes which token is which name, for its owner alone; without it everything works with tokens, the table by team included: the header has the tokens of `karpenter.ownerKeys`.',
        '**Free text**: EKS’s own words about health and insights are kept, and dropped with `--anonymize`. Messages of conditions and events are not.',
        '**Last look**: before the file gets its name, its bytes are searched for what reads like a credential (AWS keys, tokens, PEM, random keys). One that is found ends the command with its place, never its value, and leaves no file.',
      ]),
    ],
    '## File',
    [
      'gzip of JSON lines, [docs/snapshot.schema.json](../snapshot.schema.json), for its owner alone (mode 0600), written beside its place and renamed when whole:',
      list([
        '`header`: format and version, when, which cluster, by which Belay, and by which labels its workloads belong to teams.',
        '`list`: a type that was asked for, `read` (its `object` lines follow), `absent` (not served) or `unread` (with why).',
        '`aws`: one call, its input and its answer or its error.',
        '`metric`: an answer of Prometheus: its query, and samples with the labels that the allow-list [names](#prometheus).',
        '`gap`: what could not be read beside lists. What is unread is unknown to whatever reads the snapshot, never none.',
        '`end`: number of lines and SHA-256 of them: a file that is truncated or altered is refused.',
      ]),
      'Left out: ReplicaSets without replicas, Jobs that have ended; the size of an image is on the first node that has it. A list that expires while it is read begins anew, and no object is in the file twice. Objects are not of one moment: `takenAt` and `endedAt` say between which. A newer Belay reads older files; of a newer file, Belay names the version to use.',
      'Exit codes: 0 all was read, 3 taken with gaps, 1 no file. 5,000 nodes with 50,000 pods of a rehearsal take about half a minute, 230 MB of memory and a file of 3.1 MB on two busy cores (`npm run bench -- snapshot` measures it).',
    ],
    '## Stand-ins',
    list(Object.entries(STAND_INS).map(([name, says]) => `${code(`=${name}`)}: ${says}`)),
    '## Labels and annotations',
    [
      `Labels of ${LABEL_DOMAINS.map(code).join(', ')} and their subdomains; ${LABELS.map(code).join(', ')}; keys that a selector, an affinity, a spread or a NodePool of the cluster names; \`karpenter.ownerKeys\` of belay.yaml. Hexadecimal runs of 32 and more, here and everywhere, are cut to 12.`,
      `Annotations: ${Object.entries(ANNOTATIONS)
        .map(([key, how]) => (how === true ? code(key) : `${code(key)} (${code(`=${how}`)})`))
        .join(', ')}; those of \`belay.dev\` and owner keys.`,
    ],
    '## Kubernetes',
    [
      `Of every object: ${compact(METADATA)}. Where writers are kept: ${compact(WRITERS)}. Lists are read in this order.`,
      ...LISTS.map(({ apiVersion, plural, groups, writers, namespaces }) =>
        section(
          `${apiVersion} ${plural}`,
          groups,
          [...(writers === true ? ['with writers'] : []), ...(namespaces === undefined ? [] : [`in ${namespaces.join(' and ')}`])].join(
            ', ',
          ),
        ),
      ),
    ],
    '## AWS',
    CALLS.map(({ service, operation, groups }) => section(`${service} ${operation}`, groups, '')),
    '## The API server’s metrics',
    [
      `Which of Kubernetes’ own types are called in deprecated versions: labels group, version and resource of ${code(DEPRECATED_CALLS)}, without its values.`,
    ],
    '## Prometheus',
    [
      'Where belay.yaml names one and there is an istiod.',
      list(METRICS.map(({ what, why, query, labels }) => `${what}, ${why}: ${code(query)}, label ${labels.map(code).join(', ')}`)),
    ],
    next('Rehearsal', 'rehearsal.md'),
  );
}

function section(title: string, groups: readonly AllowedGroup[], about: string): string {
  const said = groups.filter(({ podSpec = 'spec' }) => podSpec === 'spec');
  const template = groups.find(({ podSpec = 'spec' }) => podSpec !== 'spec')?.podSpec;
  const lines = [
    ...said.map(({ why, paths }) => `${why}: ${compact(paths)}`),
    ...(template === undefined ? [] : [`${code(template)} as ${code('spec')} of pods`]),
  ];
  const heading = `**${title}**${about === '' ? '' : ` (${about})`}`;
  return lines.length === 0 ? `${heading}: nothing more` : `${heading}\n\n${list(lines)}`;
}

/** Paths of the same parent together. */
function compact(paths: readonly string[]): string {
  const parents = Map.groupBy(paths, (path) => path.slice(0, path.lastIndexOf('.') + 1));
  return [...parents]
    .map(([parent, all]) => {
      const names = all.map((path) => path.slice(parent.length));
      return code(parent === '' || names.length === 1 ? `${parent}${names.join(', ')}` : `${parent}{${names.join(', ')}}`);
    })
    .join(', ');
}

const STAND_INS: Readonly<Record<string, string>> = {
  present: 'that it is there',
  applied: 'the API version in which it was applied',
  injected: 'the revision that injected a sidecar',
  userData: 'the mark that says which kind it is, such as `node.eks.aws`',
  router: 'that a proxy is a gateway’s',
  socket: 'the path of a container runtime’s socket, none other',
  headless: 'that a Service has no address',
  address: '`192.0.2.1`, or the same in a form that API servers of 1.36 reject',
  network: '`192.0.2.0/24`, or the same in a form that API servers of 1.36 reject',
  anonymous: '`system:anonymous` or `system:unauthenticated`, none other',
  chart: 'the last part of the URL',
  outside: '`https://outside.invalid`',
  agent: 'product and version',
  keys: 'its keys, every value null',
  schema: 'which properties there are',
  versions: 'parameters that are versions or counts',
  ownerTags: 'tags that say whose an Auto Scaling group is',
  labels: 'labels, [below](#labels-and-annotations)',
  annotations: 'annotations, [below](#labels-and-annotations)',
};
