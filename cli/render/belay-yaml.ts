/** A first belay.yaml from what was discovered: what is known is written, what is guessed says so, what is missing is a commented line. */
import type { DiscoveredCluster, DiscoveredComponent } from '../../worker/local/discover.ts';

/** `signing`: the public key of the Slack process. */
export function renderBelayYaml(clusters: readonly DiscoveredCluster[], signing: { id: string; publicKey: string }): string {
  return [
    '# Configuration of Belay, written from what AWS and the clusters report. Review lines with "guess".',
    '# All settings with their defaults: belay.example.yaml. Check it with: belay doctor',
    '',
    'clusters:',
    ...clusters.flatMap(renderCluster),
    '',
    'approvals: # no upgrade can start before this names somebody who may decide',
    '  users: [] # Slack user IDs such as U012AB3CD (in the profile: "Copy member ID"); without Slack, names listed under people',
    '  groups: [] # Slack user group IDs such as S012AB3CD',
    '  quorum: 1',
    '  allowRequester: false # may the requester also approve?',
    '  allowUnverifiedCli: false # may `belay decide` record the operating-system user, unverified?',
    '',
    '# people: # who decides on the command line (without Slack: everyone): AWS identities by Slack user ID, without Slack by name',
    '#   sam: { aws: ["arn:aws:sts::123456789012:assumed-role/Admin/sam"] }',
    '',
    'signing: # workers accept only what the Slack process signs with BELAY_SIGNING_KEY; "belay signing-key" generates another key',
    '  publicKeys:',
    `    ${signing.id}: ${signing.publicKey}`,
    '',
    'slack:',
    '  # channel: C012AB3CD      # where upgrades are announced and decided; invite the app there. With no channel at all, Belay works without Slack',
    '',
    'temporal:',
    '  ui: http://localhost:8233 # for links',
    '',
    'records:',
    '  directory: records # what each run did, kept longer than Temporal’s history',
    '',
  ].join('\n');
}

function renderCluster(cluster: DiscoveredCluster): string[] {
  const lines = [
    `  ${JSON.stringify(cluster.name)}: # Kubernetes ${cluster.version}`,
    `    region: ${cluster.region}`,
    `    account: "${cluster.account}"`,
    `    environment: ${guessEnvironment(cluster.name)} # guess, from the name`,
  ];
  if (cluster.unreadable !== undefined)
    lines.push(...comment(`Could not read the inside of the cluster, so owners are not known: ${cluster.unreadable}`));
  lines.push(
    '    managedBy: # eks | helm | flux | argocd | terraform | manual: except for eks and helm, Belay asks for the change and watches',
  );
  const owner = cluster.controlPlane;
  lines.push(
    owner === undefined
      ? '      controlPlane: eks # no tag says otherwise'
      : `      controlPlane: ${owner.managedBy} # guess: ${owner.because}`,
  );
  if (owner?.managedBy === 'terraform')
    lines.push('      nodeGroups: terraform # guess: like the control plane', '      addOns: terraform # guess: like the control plane');
  if (cluster.karpenter !== undefined) lines.push(component('karpenter', cluster.karpenter));
  if (cluster.istio !== undefined) lines.push(component('istio', cluster.istio));
  lines.push('    # prometheus: { url: http://prometheus.example:9090 }', '    # role: arn:aws:iam::' + cluster.account + ':role/belay');
  return lines;
}

function component(name: string, { managedBy, because }: DiscoveredComponent): string {
  return managedBy === undefined ? `      ${name}: manual # not known: ${because}` : `      ${name}: ${managedBy} # guess: ${because}`;
}

function comment(text: string): string[] {
  return text.split('\n').map((line) => `    # ${line}`);
}

function guessEnvironment(name: string): string {
  const known = [
    ['production', /(^|[-_.])(prod|prd|production|live)([-_.]|\d|$)/i],
    ['staging', /(^|[-_.])(stag|stage|staging|stg|uat)([-_.]|\d|$)/i],
    ['development', /(^|[-_.])(dev|develop|development|test|sandbox)([-_.]|\d|$)/i],
  ] as const;
  return known.find(([, pattern]) => pattern.test(name))?.[0] ?? 'unknown';
}
