/** deploy/kubernetes-admission.yaml: the policies that hold Belay to the changes that it makes, with every option. */
import { changesWith } from '../../domain/policy/permissions/changes.ts';
import { admissionPolicies } from '../../domain/policy/permissions/admission.ts';
import { ADMISSION_OPTIONS } from '../../domain/policy/permissions/options.ts';
import { policiesAsYaml } from '../../domain/policy/permissions/yaml.ts';

const HEAD = `# Written by npm run docs from domain/policy/permissions/changes.ts. Beside the roles of kubernetes-rbac*.yaml, and for Kubernetes 1.30 and later:
#
#   kubectl apply -f deploy/kubernetes-admission.yaml
#
# A role can grant patch on Deployments, and cannot say of which field. These policies do: whoever is in the groups belay, belay-read or belay-write
# changes the fields named here and no others, creates no pods, writes no subresources but these, and deletes no webhooks but Istio's. They hold for
# every option of Belay; \`belay permissions\` prints those that a belay.yaml uses.
#
# Not where Belay runs Helm (kubernetes-rbac-istio-helm.yaml, kubernetes-rbac-karpenter-helm.yaml): a chart changes everything that it likes.
`;

export function admissionDocument(): string {
  return HEAD + policiesAsYaml(admissionPolicies(changesWith(ADMISSION_OPTIONS)));
}
