/** Rights that a newer minor no longer honors: what a role no longer allows, and who is no longer let in. */
import { agree, count } from '../../../core/text.ts';
import { compareKubernetesVersions, parseKubernetesVersion } from '../../../core/version.ts';
import { type Check, check, type Context, type Look, type Resource } from '../../model/check.ts';
import type { RoleSeen } from '../../model/evidence.ts';
import { resourceOf } from '../../model/names.ts';

/** Subresources of pods that kubectl opens as a WebSocket, which is a GET. */
const STREAMS = ['pods/exec', 'pods/attach', 'pods/portforward'];
const CLAIM_STATUS = 'resourceclaims/status';
/** Whoever names one of them has thought of it, whatever the verbs: which parts a component writes, its role alone does not say. */
const CLAIM_PARTS = ['resourceclaims/binding', 'resourceclaims/driver'];
const CLAIMS = 'resource.k8s.io';

const ASKED_ABOUT: ReadonlySet<string> = new Set([...STREAMS, CLAIM_STATUS, ...CLAIM_PARTS]);

/** Whether a check asks who may use this resource. */
export const asksAbout = (resource: string): boolean => ASKED_ABOUT.has(resource);

/** As whom requests without credentials count. */
export const NOBODY: ReadonlySet<string> = new Set(['system:anonymous', 'system:unauthenticated']);
/** Every cluster binds it: health checks, which go on, and /version. */
const PUBLIC = 'ClusterRole system:public-info-viewer';
/** Kubernetes and EKS bring their own roles up to date. */
const OF_THE_CLUSTER = /^(?:system|eks):/;

const covers = (list: readonly string[], each: string): boolean => list.includes('*') || list.includes(each);
const coversResource = (list: readonly string[], resource: string): boolean =>
  covers(list, resource) || list.includes(`*/${resource.split('/')[1]}`);

/** `verbs`: one of them is enough. */
function allows({ rules }: RoleSeen, verbs: readonly string[], group: string, resource: string): boolean {
  return rules.some(
    (rule) => covers(rule.apiGroups, group) && coversResource(rule.resources, resource) && verbs.some((verb) => covers(rule.verbs, verb)),
  );
}

const names = ({ rules }: RoleSeen, resource: string): boolean => rules.some(({ resources }) => resources.includes(resource));

/** Of what API servers do from `version` on: a cluster that is there has it behind it, and this upgrade changes nothing about it. */
function unlessBehind(version: string, { from }: Context, look: () => Look): Look {
  if (compareKubernetesVersions(from, parseKubernetesVersion(version)) < 0) return look();
  return { pass: `API servers of ${version} and newer enforce this already: the upgrade changes nothing.` };
}

export const accessChecks: readonly Check[] = [
  check({
    code: 'EKS035',
    area: 'EKS',
    title: 'Nothing is granted to anonymous requests',
    severity: [{ from: '1.32', severity: 'recommended' }],
    reads: ['roles'],
    remediation: 'Give callers without credentials a token or an access entry, then delete the bindings.',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions-extended.html#_anonymous_authentication_changes',
    look: ({ roles }, context) =>
      unlessBehind('1.32', context, () => {
        const granted = roles.anonymous.filter(({ role }) => role !== PUBLIC);
        if (granted.length === 0) return { pass: 'Anonymous requests have no rights beyond the default.' };
        return {
          fail: `${count(granted.length, 'binding')} with rights for anonymous requests: from 1.32 EKS answers them with 401, except on /healthz, /livez and /readyz.`,
          resources: granted.map((binding) => ({
            ...resourceOf(binding.kind, binding),
            note: `${binding.role} for ${binding.subjects.join(', ')}`,
          })),
        };
      }),
  }),
  check({
    code: 'K8S049',
    area: 'Kubernetes',
    title: 'Roles for exec, attach and port-forward allow create',
    severity: [{ from: '1.35', severity: 'recommended' }],
    reads: ['roles'],
    remediation: 'Add the verb create to these rules, or remove the rules if nobody should exec.',
    source: 'https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/#AuthorizePodWebsocketUpgradeCreatePermission',
    look: ({ roles }, context) =>
      unlessBehind('1.35', context, () => {
        const short = roles.bound.flatMap((role): Resource[] => {
          const streams = STREAMS.filter(
            (stream) => names(role, stream) && allows(role, ['get'], '', stream) && !allows(role, ['create'], '', stream),
          );
          return streams.length === 0 ? [] : [{ ...resourceOf(role.kind, role), note: `get without create on ${streams.join(', ')}` }];
        });
        if (short.length === 0) return { pass: 'Every role that names exec, attach or port-forward with get also allows create.' };
        return {
          fail: `${count(short.length, 'role')} with get but not create: from 1.35 ${agree(short.length, 'it no longer allows', 'they no longer allow')} kubectl exec, attach or port-forward.`,
          resources: short,
        };
      }),
  }),
  check({
    code: 'K8S050',
    area: 'Kubernetes',
    title: 'Roles that write ResourceClaim status have the rights of 1.36',
    severity: [{ from: '1.36', severity: 'recommended' }],
    reads: ['roles'],
    remediation:
      'Upgrade the DRA driver or scheduler to a release for 1.36, or add update and patch on resourceclaims/binding (allocation), and associated-node:update and associated-node:patch on resourceclaims/driver (drivers on nodes).',
    source: 'https://kubernetes.io/docs/concepts/security/hardening-guide/dynamic-resource-allocation/',
    look: ({ roles }, context) =>
      unlessBehind('1.36', context, () => {
        const writers = roles.bound.filter(
          (role) =>
            !OF_THE_CLUSTER.test(role.name) &&
            names(role, CLAIM_STATUS) &&
            allows(role, ['update', 'patch'], CLAIMS, CLAIM_STATUS) &&
            !CLAIM_PARTS.some((part) => names(role, part) || allows(role, ['update'], CLAIMS, part)),
        );
        if (writers.length === 0) return { pass: 'No role writes ResourceClaim status without the rights that 1.36 adds.' };
        return {
          fail: `${count(writers.length, 'role')} with rights on resourceclaims/status but not on its parts, which 1.36 requires: ${agree(writers.length, 'its DRA driver or scheduler', 'their DRA drivers or schedulers')} can no longer allocate or report devices.`,
          resources: writers.map((role) => resourceOf(role.kind, role)),
        };
      }),
  }),
];
