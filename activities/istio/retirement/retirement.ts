/** May an Istio revision be retired? One finding per condition; all of them have to hold. Pure. */
import { concerning, type Finding } from '../../../domain/core/findings.ts';
import { istiodOf } from '../mesh/inventory.ts';
import type { RetirementFacts } from './retirement-facts.ts';
import { agree, count, someOf } from '../../../domain/core/text.ts';

interface Condition {
  code: string;
  title: string;
  /** What still uses the revision. */
  users: string[];
  pass: string;
  fail: string;
  remediation: string;
  severity?: Finding['severity'];
}

/**
 * Tag `default` and the default validator move as a part of the retirement itself (by Belay where Helm is used, `byBelay`, else by those
 * who remove the revision): before it they are not required to have moved.
 */
export function retirementFindings(facts: RetirementFacts, revision: string, successor: string, byBelay: boolean): Finding[] {
  const tags = facts.tags.filter((tag) => tag !== 'default');
  const moves = byBelay && facts.tags.includes('default');
  const { namespaces, templates, servedBy } = facts.injected;
  const served = servedBy === revision && !moves ? [...namespaces, ...templates] : [];
  // The default validator may call any revision that is there afterwards.
  const stays = [successor, ...facts.others.map((each) => each.revision)].map(istiodOf);
  // Nothing replaces the un-revisioned install for namespaces that get the label later.
  const onlyServer = servedBy === revision && !facts.tags.includes('default');
  const conditions: Condition[] = [
    {
      code: 'IST101',
      title: 'No pod runs a proxy of the revision',
      users: facts.pods,
      pass: `no live pod was injected by ${revision}`,
      fail: `pods still have a proxy of ${revision}`,
      remediation:
        'Restart their workloads, where their own labels do not choose the revision again; delete pods without a controller; let Jobs end.',
    },
    {
      code: 'IST102',
      title: 'No namespace selects the revision',
      users: facts.namespaces,
      pass: `no namespace has label istio.io/rev=${revision}`,
      fail: `namespaces have label istio.io/rev=${revision}: their new pods would start without a sidecar`,
      remediation: `Label them istio.io/rev=${successor} and restart their workloads.`,
    },
    {
      code: 'IST103',
      title: 'No workload or Gateway names the revision',
      users: facts.templates,
      pass: `no template or Gateway has label istio.io/rev=${revision}`,
      fail: `templates or Gateways have label istio.io/rev=${revision}`,
      remediation: `Change the label to ${successor} where these are declared.`,
    },
    {
      code: 'IST104',
      title: 'No revision tag points at the revision',
      users: tags,
      pass: `no tag points at ${revision}`,
      fail: `tags point at ${revision}: pods could not be created where they select`,
      remediation: `Move them: istioctl tag set TAG --revision ${successor} --overwrite.`,
    },
    {
      code: 'IST105',
      title: 'Nothing that asks for a sidecar without naming a revision is served by the revision',
      users: served,
      pass: `istio-injection=enabled and sidecar.istio.io/inject=true are not served by ${revision}`,
      fail: `namespaces with istio-injection=enabled, or templates with sidecar.istio.io/inject=true, get ${revision}: their new pods would start without a sidecar`,
      remediation: `Move tag default to ${successor}, or label them istio.io/rev=${successor}.`,
    },
    {
      code: 'IST107',
      title: 'The default validator calls a revision that stays',
      users: (facts.validatorServices ?? []).filter((service) => !stays.includes(service)),
      pass: facts.validatorServices === undefined ? 'there is no default validator' : `it calls ${someOf(facts.validatorServices)}`,
      fail: `istiod-default-validator does not call ${istiodOf(successor)}; ${byBelay ? 'Belay points it there before it uninstalls' : 'point it there before the revision goes, or Istio objects cannot be written'}`,
      remediation: `Upgrade istio-base with defaultRevision=${successor}.`,
      severity: 'recommended',
    },
    {
      code: 'IST108',
      title: 'No revision tag goes with the revision',
      users: facts.releasedTags,
      pass: `no tag is a part of the Helm release of ${revision}`,
      fail: `tags are a part of the Helm release of ${revision} (revisionTags) and go when it does: their namespaces would start without sidecars`,
      remediation: `Take them out of revisionTags of that release (helm upgrade), and right after that set them again: istioctl tag set TAG --revision ${successor}.`,
    },
    {
      code: 'IST109',
      title: 'No ztunnel asks the revision',
      users: facts.agents,
      pass: `no DaemonSet is configured to ask istiod of ${revision}`,
      fail: `DaemonSets ask istiod of ${revision} (XDS_ADDRESS, CA_ADDRESS): ambient traffic would lose its control plane`,
      remediation: `Set revision: ${successor} in the values of ztunnel, with the chart version that it has, and let it roll out.`,
    },
    {
      code: 'IST112',
      title: 'Another revision serves istio-injection=enabled',
      users: onlyServer ? ['istio-injection=enabled', 'sidecar.istio.io/inject=true'] : [],
      pass: servedBy === revision ? 'tag default moves before the revision goes' : `${servedBy ?? 'no revision'} serves them`,
      fail: `only ${revision} serves these labels: what gets them after its retirement starts without a sidecar, and nothing says so`,
      remediation: `Set tag default before it goes: istioctl tag set default --revision ${successor}, or revisionTags: [default] in the values of its istiod chart.`,
      severity: 'recommended',
    },
  ];
  return [...conditions.map(findingOf), connectionFinding(facts, revision), syncFinding(facts, revision)].sort((a, b) =>
    a.code.localeCompare(b.code),
  );
}

function findingOf({ code, title, users, pass, fail, remediation, severity = 'required' }: Condition): Finding {
  const failed = users.length > 0;
  return {
    code,
    title,
    severity,
    status: failed ? 'fail' : 'pass',
    message: failed ? fail : pass,
    ...concerning(users),
    ...(failed ? { remediation } : {}),
  };
}

/** Counted only where Prometheus can tell; annotations and images have been looked at anyway. */
function connectionFinding({ connections }: RetirementFacts, revision: string): Finding {
  const base = { code: 'IST106', title: 'No proxy of the revision is connected', resources: [], resourceCount: 0 };
  if (connections.kind === 'unknown') {
    const remediation = 'Set prometheus for the cluster in belay.yaml and scrape istiod, or look at pilot_xds yourself.';
    return {
      ...base,
      severity: 'recommended',
      status: 'unknown',
      message: `connected proxies cannot be counted: ${connections.why}`,
      remediation,
    };
  }
  const { count: proxyCount, version } = connections;
  if (proxyCount === 0) return { ...base, severity: 'required', status: 'pass', message: `pilot_xds has no proxy of version ${version}` };
  return {
    ...base,
    severity: 'required',
    status: 'fail',
    message: `${count(proxyCount, 'proxy')} of version ${version} ${agree(proxyCount, 'is', 'are')} connected`,
    resourceCount: proxyCount,
    remediation: `Connections of moved proxies end within about 30 minutes; look again, then find what still runs ${revision}.`,
  };
}

/** By name, and of any version: what pilot_xds counts may be of another istiod. */
function syncFinding({ sync }: RetirementFacts, revision: string): Finding {
  const base = { code: 'IST111', title: 'No proxy is connected to istiod of the revision', resources: [], resourceCount: 0 };
  if (sync.kind === 'blind') {
    const message = `which proxies are connected to istiod of ${revision} was not read (syncz): ${sync.why}`;
    return { ...base, severity: 'recommended', status: 'unknown', message };
  }
  const { proxies } = sync;
  if (proxies.length === 0) return { ...base, severity: 'required', status: 'pass', message: `istiod of ${revision} has no proxy (syncz)` };
  return {
    ...base,
    ...concerning(proxies.map(({ pod }) => pod)),
    severity: 'required',
    status: 'fail',
    message: `proxies are connected to istiod of ${revision} (syncz)`,
    remediation: 'Restart what they belong to, or wait: connections of moved proxies end within about 30 minutes.',
  };
}
