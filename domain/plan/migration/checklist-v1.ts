/** v1beta1 → v1: the steps of the v1 migration guide, in its order. */
import { KARPENTER_NEWEST_PATCHES, KARPENTER_PATCHES_BEFORE_V1 } from '../../tables/karpenter.ts';
import { compareComponentVersions, compareMinors, parseComponentVersion } from '../../core/component-version.ts';
import { parseKubernetesVersion, compareKubernetesVersions } from '../../core/version.ts';
import { agree, count } from '../../core/text.ts';
import { type Beside, broken, byVersion, done, iamStep, type MigrationStep, open, unknown, type Verdict } from './checklist.ts';
import type { DefinitionSeen, MigrationState } from './state.ts';

const V1 = parseComponentVersion('1.0');
const NEWEST_1_0 = KARPENTER_NEWEST_PATCHES['1.0'] ?? '1.0';
const NAMES = ['nodepools.karpenter.sh', 'nodeclaims.karpenter.sh', 'ec2nodeclasses.karpenter.k8s.aws'];
const OLDEST_KUBERNETES = '1.25';

export function stepsToV1(state: MigrationState, beside: Beside): MigrationStep[] {
  return [
    { id: 'kubernetes', title: `Kubernetes ${OLDEST_KUBERNETES} or newer`, ...kubernetes(state) },
    { id: 'patch', title: 'The controller runs a patch from which, and back to which, the way to 1.0 leads', ...patch(state) },
    { id: 'conversion', title: 'Its CRDs serve v1 as well, by a conversion webhook that answers', ...conversion(state) },
    {
      id: 'iam',
      title: 'The v1 IAM policy is attached beside the one that is there',
      ...iamStep(beside, '1.0 tags what it makes with eks:eks-cluster-name.'),
    },
    { id: 'definitions', title: `CRDs of 1.0 (karpenter-crd ${NEWEST_1_0})`, ...definitions(state) },
    { id: 'controller', title: `The controller of 1.0 (karpenter ${NEWEST_1_0})`, ...controller(state) },
    { id: 'webhooks', title: 'Webhooks of 0.32 to 0.37 are gone', ...webhooks(state) },
    { id: 'manifests', title: 'Manifests are of v1', ...manifests(beside) },
    { id: 'kubelet', title: 'Kubelet settings stand in the EC2NodeClass alone', ...kubelet(state) },
    { id: 'stored', title: 'Objects are stored as v1', ...stored(state) },
    { id: 'beyond', title: 'Karpenter 1.1 or newer; only now may the conversion webhook go', ...beyond(state) },
  ];
}

function kubernetes({ kubernetes: minor }: MigrationState): Verdict {
  const enough = compareKubernetesVersions(parseKubernetesVersion(minor), parseKubernetesVersion(OLDEST_KUBERNETES)) >= 0;
  return enough ? done(`It is ${minor}.`) : open(`It is ${minor}.`, `Upgrade the control plane to ${OLDEST_KUBERNETES} first.`);
}

function patch(state: MigrationState): Verdict {
  return byVersion(state, (version, text) => {
    if (compareMinors(version, V1) >= 0) return done(`${text} runs.`);
    const wanted = KARPENTER_PATCHES_BEFORE_V1.find((each) => compareMinors(parseComponentVersion(each), version) === 0);
    if (wanted === undefined)
      return open(
        `${text} runs: the way to 1.0 begins at 0.33.`,
        'Migrate to v1beta1 first: belay migrate karpenter CLUSTER --to v1beta1.',
      );
    if (compareComponentVersions(version, parseComponentVersion(wanted)) >= 0) return done(`${text} runs.`);
    return open(
      `${text} runs; from 1.0 it could not be gone back to.`,
      `Install karpenter ${wanted} with webhook.enabled=true and webhook.port=8443.`,
    );
  });
}

/** The accident of which people tell: CRDs rendered for a Service that is not there, and no API call of Karpenter's kinds works any more. */
function conversion({ definitions: seen, controller: running }: MigrationState): Verdict {
  if (seen === undefined) return unknown('The CRDs could not be read.');
  const own = NAMES.map((name) => ({ name, crd: seen.find((each) => each.name === name) }));
  const missing = own.filter(({ crd }) => crd === undefined).map(({ name }) => name);
  if (missing.length > 0) return open(`There is no CRD ${missing.join(', ')}.`, 'Install karpenter-crd of the controller’s patch.');
  const crds = own.flatMap(({ crd }) => crd ?? []);
  const namespace = running === undefined || running === 'none' ? 'NAMESPACE' : running.namespace;
  const nowhere = crds
    .filter(isAsked)
    .flatMap(({ name, conversion: each }) => (each.kind === 'webhook' && each.broken !== undefined ? [{ name, why: each.broken }] : []));
  if (nowhere.length > 0)
    return broken(
      `Conversion webhooks point nowhere: ${nowhere.map(({ name, why }) => `${name}: ${why}`).join('; ')}. Nothing can read or write these objects, nor delete a namespace.`,
      `Render the CRDs for the Service that is there: karpenter-crd with webhook.enabled=true, webhook.serviceName=karpenter, webhook.serviceNamespace=${namespace}, webhook.port=8443; or patch spec.conversion.webhook.clientConfig.service of each. Never delete the CRDs.`,
    );
  const mixed = crds.filter(({ served }) => served.includes('v1beta1') && served.includes('v1'));
  const silent = mixed.filter((crd) => crd.conversion.kind === 'none').map(({ name }) => name);
  if (silent.length > 0)
    return broken(
      `${silent.join(', ')} serve v1beta1 and v1 without a conversion: whoever reads one in the other version loses fields.`,
      'Install karpenter-crd with webhook.enabled=true, webhook.serviceName=karpenter, webhook.port=8443.',
    );
  const elsewhere = crds
    .filter(isAsked)
    .flatMap(({ name, conversion: each }) => (each.kind === 'webhook' && each.service === 'none' ? [name] : []));
  if (elsewhere.length > 0)
    return unknown(
      `Conversion webhooks of ${elsewhere.join(', ')} are no Services of the cluster: whether they answer is not known.`,
      'Install karpenter-crd with webhook.enabled=true, webhook.serviceName=karpenter, webhook.port=8443; or read one of the objects in both versions.',
    );
  const without = crds.filter(({ served }) => !served.includes('v1')).map(({ name }) => name);
  if (without.length > 0)
    return open(
      `${without.join(', ')} serve no v1 yet.`,
      'Install karpenter-crd of the controller’s patch with webhook.enabled=true, webhook.serviceName=karpenter, webhook.port=8443.',
    );
  return done(mixed.length === 0 ? 'Only v1 is served.' : 'Both versions are served, and the webhook’s Service answers.');
}

/** With one version alone nobody is asked to convert. */
const isAsked = ({ served, storage, storedVersions }: DefinitionSeen): boolean =>
  served.length > 1 || storedVersions.some((version) => version !== storage);

function definitions({ definitions: seen }: MigrationState): Verdict {
  if (seen === undefined) return unknown('The CRDs could not be read.');
  const old = own(seen).filter(({ storage }) => storage !== 'v1');
  if (own(seen).length > 0 && old.length === 0) return done('They store v1.');
  return open(
    `${count(old.length, 'CRD')} of Karpenter’s store${old.length === 1 ? 's' : ''} v1beta1.`,
    `Install karpenter-crd ${NEWEST_1_0} with webhook.enabled=true, webhook.serviceName=karpenter, webhook.port=8443, before the controller.`,
  );
}

const own = (seen: readonly DefinitionSeen[]): DefinitionSeen[] => seen.filter(({ name }) => NAMES.includes(name));

function controller(state: MigrationState): Verdict {
  return byVersion(state, (version, text) =>
    compareMinors(version, V1) >= 0
      ? done(`${text} runs.`)
      : open(
          `${text} runs.`,
          `Install karpenter ${NEWEST_1_0}. From then on nodes expire by force: budgets do not hold it. Rollback only to ${KARPENTER_PATCHES_BEFORE_V1.join(', ')}, controller first, then CRDs, webhooks on; what only v1 has is lost.`,
        ),
  );
}

function webhooks({ oldWebhooks }: MigrationState): Verdict {
  if (oldWebhooks === undefined) return unknown('Admission webhooks could not be read.');
  if (oldWebhooks.length === 0) return done('None is there.');
  const names = oldWebhooks.map(({ kind, name }) => `${kind} ${name}`).join(', ');
  return open(
    `There are still ${names}.`,
    'Helm takes them away with the controller of 1.0; where it does not own them, delete them after that.',
  );
}

function manifests({ left }: Beside): Verdict {
  if (left === undefined) return unknown('Not all objects could be read.');
  const { own: karpenters, workloads } = left;
  if (karpenters + workloads === 0)
    return done('The cluster has none of the older API; what Git has, belay migrate karpenter --dir CHECKOUT --check says.');
  return open(
    `${count(karpenters, 'object')} of Karpenter’s and ${count(workloads, 'workload')} would be written otherwise: see below.`,
    'Change them where they come from: belay migrate karpenter --dir CHECKOUT --write; or write what is below with --out FOLDER.',
  );
}

function kubelet({ kubeletAnnotated }: MigrationState): Verdict {
  if (kubeletAnnotated === undefined) return unknown('NodePools could not be read as v1.');
  if (kubeletAnnotated.length === 0) return done('No NodePool has the annotation compatibility.karpenter.sh/v1beta1-kubelet-conversion.');
  return open(
    `${agree(kubeletAnnotated.length, 'NodePool', 'NodePools')} ${kubeletAnnotated.join(', ')} ${agree(kubeletAnnotated.length, 'has', 'have')} compatibility.karpenter.sh/v1beta1-kubelet-conversion.`,
    'Apply the EC2NodeClass with the same spec.kubelet first, then remove the annotation; in the other order the nodes drift.',
  );
}

function stored({ definitions: seen }: MigrationState): Verdict {
  if (seen === undefined) return unknown('The CRDs could not be read.');
  const behind = own(seen).filter(({ storedVersions }) => storedVersions.join() !== 'v1');
  if (own(seen).length > 0 && behind.length === 0) return done('storedVersions is ["v1"] everywhere.');
  const said = behind.map(({ name, storedVersions }) => `${name} ${JSON.stringify(storedVersions)}`).join(', ');
  return open(
    `storedVersions: ${said || 'no CRD is there'}.`,
    'Karpenter 1.0.6 and later do it by themselves: wait until it is ["v1"]; 1.1 refuses CRDs with more.',
  );
}

function beyond(state: MigrationState): Verdict {
  return byVersion(state, (version, text) =>
    compareMinors(version, parseComponentVersion('1.1')) >= 0
      ? done(`${text} runs.`)
      : open(`${text} runs.`, 'Go on with belay plan: it chooses the version by the minors of the upgrade.'),
  );
}
