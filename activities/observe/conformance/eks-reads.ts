/** Tries what is believed of EKS's answers by reading. */
import {
  DescribeAddonCommand,
  DescribeAddonVersionsCommand,
  DescribeClusterCommand,
  DescribeInsightCommand,
  DescribeNodegroupCommand,
  DescribeUpdateCommand,
  ListAddonsCommand,
  StartInsightsRefreshCommand,
  type InsightSummary,
  type Cluster,
  type Nodegroup,
} from '@aws-sdk/client-eks';
import type { Verdict } from '../../../domain/tables/beliefs/verdict.ts';
import { broken, CannotTry, type Ground, held, type ReadCheck, untried } from './check.ts';
import { abort, addOnNames, autoScalingGroups, identitiesOf, nodeGroupNames, upgradeInsights, versionsOnOffer } from './eks-lists.ts';
import { itemsOf, minorOf, mustBe, nameOf, refusalOf, some, textAt, within } from './look.ts';
import { agree, count } from '../../../domain/core/text.ts';

const NOBODY = 'belay-conformance-nobody';

export const EKS_READS: Readonly<Record<string, ReadCheck>> = {
  'EKS-ARN': async (ground) => {
    const { arn = '' } = await clusterOf(ground);
    const [, , service, region, account, resource] = arn.split(':');
    const { ref } = ground;
    const fits = service === 'eks' && region === ref.region && account === ref.account && resource === `cluster/${ref.name}`;
    return fits ? held(arn) : broken(`${arn} is not of ${ref.name} in ${ref.account}, ${ref.region}`);
  },
  'EKS-IDENTITY': async (ground) => {
    const [first, second] = [await clusterOf(ground), await clusterOf(ground)];
    const [issuer, created] = [first.identity?.oidc?.issuer, first.createdAt?.getTime()];
    if (issuer === undefined || created === undefined) return broken('DescribeCluster has no issuer, or no createdAt');
    const same = second.identity?.oidc?.issuer === issuer && second.createdAt?.getTime() === created;
    return same ? held(`made ${first.createdAt?.toISOString()}, the same at two looks`) : broken('they differ between two looks');
  },
  'EKS-DATE': async (ground) => {
    await clusterOf(ground);
    const date = ground.eksDate();
    return date === undefined ? broken('the answer has no Date') : held(date);
  },
  'EKS-MISSING-CLUSTER': (ground) => missing(ground.eks.send(new DescribeClusterCommand({ name: NOBODY }), abort())),
  'EKS-MISSING-ADDON': (ground) =>
    missing(ground.eks.send(new DescribeAddonCommand({ clusterName: ground.ref.name, addonName: NOBODY }), abort())),
  'EKS-MISSING-UPDATE': (ground) =>
    missing(
      ground.eks.send(new DescribeUpdateCommand({ name: ground.ref.name, updateId: '00000000-0000-4000-8000-000000000000' }), abort()),
    ),
  'EKS-PAGES': async (ground) => {
    const whole = await addOnNames(ground);
    if (whole.length < 2) return untried('there are fewer than two add-ons');
    const paged: string[] = [];
    let nextToken: string | undefined;
    do {
      const page = await ground.eks.send(new ListAddonsCommand({ clusterName: ground.ref.name, maxResults: 1, nextToken }), abort());
      if ((page.addons?.length ?? 0) > 1) return broken(`a page of one had ${page.addons?.length}`);
      paged.push(...(page.addons ?? []));
      nextToken = page.nextToken;
    } while (nextToken !== undefined && paged.length <= whole.length);
    return sameNames(whole, paged)
      ? held(`${count(paged.length, 'page')} of one add-on`)
      : broken(`${some(whole)} at once, ${some(paged)} in pages`);
  },
  'EKS-ENDPOINT': async (ground) => {
    const { endpoint } = await clusterOf(ground);
    const body = mustBe(await ground.kube('GET', '/version'), 200, 'GET /version');
    return textAt(body, 'gitVersion') === undefined
      ? broken('its /version has no gitVersion')
      : held(`${endpoint} answers, trusted by that authority`);
  },
  'EKS-API-VERSION': async (ground) => {
    const { version, status } = await clusterOf(ground);
    if (status !== 'ACTIVE') return untried(`the cluster is ${status}`);
    const body = mustBe(await ground.kube('GET', '/version'), 200, 'GET /version');
    const minor = minorOf(textAt(body, 'gitVersion'));
    return minor === version ? held(`both say ${version}`) : broken(`EKS says ${version}, the API server ${minor}`);
  },
  'EKS-ADDON-OFFERS': async (ground) => {
    const { version } = await clusterOf(ground);
    const [addonName] = await addOnNames(ground);
    if (addonName === undefined) return untried('there is no add-on on this cluster');
    const { addons = [] } = await ground.eks.send(new DescribeAddonVersionsCommand({ addonName, kubernetesVersion: version }), abort());
    const offers = addons.flatMap(({ addonVersions = [] }) => addonVersions);
    if (offers.length === 0) return broken(`nothing is offered of ${addonName} for ${version}, which has it`);
    const others = offers.filter(({ compatibilities = [] }) => !compatibilities.some(({ clusterVersion }) => clusterVersion === version));
    if (others.length > 0) return broken(`${others[0]?.addonVersion} is offered for ${version} and does not say that it is compatible`);
    const defaults = offers.filter(({ compatibilities = [] }) =>
      compatibilities.some(({ clusterVersion, defaultVersion }) => clusterVersion === version && defaultVersion === true),
    );
    return defaults.length === 1
      ? held(`${count(offers.length, 'version')} of ${addonName} for ${version}, default ${defaults[0]?.addonVersion}`)
      : broken(`${count(defaults.length, 'version')} of ${addonName} ${agree(defaults.length, 'is', 'are')} the default for ${version}`);
  },
  'EKS-CALENDAR': async (ground) => {
    const { version } = await clusterOf(ground);
    const own = (await versionsOnOffer(ground)).find(({ clusterVersion }) => clusterVersion === version);
    if (own === undefined) return broken(`${version}, which the cluster has, is not among them`);
    const [standard, extended] = [own.endOfStandardSupportDate, own.endOfExtendedSupportDate];
    if (standard === undefined || extended === undefined) return broken(`${version} has no end of support`);
    return standard < extended
      ? held(`${version}: standard support to ${day(standard)}, extended to ${day(extended)}`)
      : broken(`extended support of ${version} ends before standard support`);
  },
  'EKS-INSIGHTS-FILTER': async (ground) => {
    const insights = await insightsOf(ground);
    const others = insights.filter(
      ({ category, insightStatus }) => category !== 'UPGRADE_READINESS' || insightStatus?.status === undefined,
    );
    return others.length === 0
      ? held(`${count(insights.length, 'insight')}, all of UPGRADE_READINESS and with a status`)
      : broken(`${others[0]?.name} is of ${others[0]?.category}, with status ${others[0]?.insightStatus?.status}`);
  },
  'EKS-INSIGHTS-DETAIL': async (ground) => {
    const [first] = await insightsOf(ground);
    const { insight } = await ground.eks.send(new DescribeInsightCommand({ clusterName: ground.ref.name, id: first?.id }), abort());
    const same = insight?.name === first?.name && insight?.insightStatus?.status === first?.insightStatus?.status;
    if (!same) return broken(`${first?.name} is described as ${insight?.name}, ${insight?.insightStatus?.status}`);
    const callers = insight?.categorySpecificSummary?.deprecationDetails?.flatMap(({ clientStats = [] }) => clientStats) ?? [];
    const nameless = callers.filter(({ userAgent }) => userAgent === undefined);
    return nameless.length === 0 ? held(`${insight?.name}, ${count(callers.length, 'caller')}`) : broken('a caller has no user agent');
  },
  'EKS-IDENTITY-FILTER': async (ground) => {
    const associations = await identitiesOf(ground);
    const [one] = associations;
    if (one === undefined) return untried('there is no Pod Identity association on this cluster');
    const { namespace, serviceAccount } = one;
    const found = await identitiesOf(ground, { namespace, serviceAccount });
    const fits = found.length > 0 && found.every((each) => each.namespace === namespace && each.serviceAccount === serviceAccount);
    return fits ? held(`${found.length} of ${associations.length}`) : broken(`${found.length} were answered, of other service accounts`);
  },
  'EKS-NODEGROUP-GROUPS': async (ground) => {
    const groups = await nodeGroupsOf(ground);
    const names = groups.flatMap(({ resources }) => resources?.autoScalingGroups?.flatMap(({ name }) => name ?? []) ?? []);
    if (names.length === 0) return broken(`${some(groups.map(({ nodegroupName }) => nodegroupName ?? '?'))} names no Auto Scaling group`);
    const found = await autoScalingGroups(ground, names);
    const lost = names.filter((name) => !found.some(({ AutoScalingGroupName }) => AutoScalingGroupName === name));
    return lost.length === 0 ? held(count(names.length, 'group')) : broken(`${some(lost)} does not exist`);
  },
  'EKS-NODEGROUP-LABEL': async (ground) => {
    const groups = await nodeGroupsOf(ground);
    const active = groups.filter(({ status }) => status === 'ACTIVE');
    const seen: string[] = [];
    for (const { nodegroupName: name = '', version, scalingConfig, amiType } of active) {
      const nodes =
        (await itemsOf(ground, `/api/v1/nodes?labelSelector=${encodeURIComponent(`eks.amazonaws.com/nodegroup=${name}`)}`)) ?? [];
      if (nodes.length === 0 && (scalingConfig?.desiredSize ?? 0) > 0) return broken(`no node carries the label of ${name}`);
      const odd = nodes.filter((node) => minorOf(textAt(node, 'status', 'nodeInfo', 'kubeletVersion')) !== version);
      if (amiType !== 'CUSTOM' && odd.length > 0) return broken(`${nameOf(odd[0])} of ${name} has another kubelet than ${version}`);
      seen.push(`${name}: ${count(nodes.length, 'node')} at ${version}`);
    }
    return seen.length === 0 ? untried('no node group is ACTIVE') : held(some(seen));
  },
  'EKS-NODEGROUP-PACE': async (ground) => {
    const groups = await nodeGroupsOf(ground);
    const odd = groups.find(
      ({ updateConfig: { maxUnavailable, maxUnavailablePercentage } = {} }) => !((maxUnavailable ?? maxUnavailablePercentage ?? 0) > 0),
    );
    return odd === undefined
      ? held(`${count(groups.length, 'node group')} ${agree(groups.length, 'says', 'say')} so`)
      : broken(`${odd.nodegroupName} says neither`);
  },
  'EKS-AUTO-MODE': async (ground) => {
    const { computeConfig } = await clusterOf(ground);
    const pools = (await itemsOf(ground, '/apis/karpenter.sh/v1/nodepools')) ?? [];
    const own = pools.filter((pool) => textAt(pool, 'spec', 'template', 'spec', 'nodeClassRef', 'group') === 'eks.amazonaws.com');
    const enabled = computeConfig?.enabled === true;
    if (!enabled && own.length > 0) return broken(`Auto Mode is off, and ${some(own.map(nameOf))} are of its node classes`);
    return held(enabled ? `on, ${count(own.length, 'NodePool')} of its own` : 'off, and no NodePool is of its node classes');
  },
};

const day = (date: Date): string => date.toISOString().slice(0, 10);
const sameNames = (a: readonly string[], b: readonly string[]): boolean => a.toSorted().join() === b.toSorted().join();

export async function clusterOf(ground: Ground): Promise<Cluster> {
  const { cluster } = await ground.eks.send(new DescribeClusterCommand({ name: ground.ref.name }), abort());
  if (cluster === undefined) throw new CannotTry('DescribeCluster answered without a cluster');
  return cluster;
}

/** CannotTry where there are none. */
export async function nodeGroupsOf(ground: Ground): Promise<Nodegroup[]> {
  const clusterName = ground.ref.name;
  const nodegroups = await nodeGroupNames(ground);
  const described = await Promise.all(
    nodegroups.map(
      async (nodegroupName) =>
        (await ground.eks.send(new DescribeNodegroupCommand({ clusterName, nodegroupName }), abort())).nodegroup ?? [],
    ),
  );
  const found = described.flat();
  if (found.length === 0) throw new CannotTry('there is no managed node group on this cluster');
  return found;
}

/** A refresh is asked for where there are none; it changes nothing of the cluster. */
async function insightsOf(ground: Ground): Promise<InsightSummary[]> {
  const clusterName = ground.ref.name;
  let insights = await upgradeInsights(ground);
  if (insights.length > 0) return insights;
  await ground.eks.send(new StartInsightsRefreshCommand({ clusterName }), abort());
  await within(ground, async () => (insights = await upgradeInsights(ground)).length > 0);
  if (insights.length === 0) throw new CannotTry('EKS has computed no insights, after a refresh either');
  return insights;
}

async function missing(request: Promise<unknown>): Promise<Verdict> {
  const refusal = await refusalOf(request);
  if (refusal === undefined) return broken('it was answered as if it were there');
  return refusal.name === 'ResourceNotFoundException'
    ? held(`${refusal.name}, ${refusal.status}`)
    : broken(`${refusal.name}: ${refusal.message}`);
}
