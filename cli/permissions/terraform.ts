/** IAM policies as Terraform, as `terraform fmt` has it: the documents stay JSON. */
import type { PolicyDocument } from '../../domain/policy/permissions/iam-use.ts';

export function asTerraform(policies: readonly { name: string; document: PolicyDocument }[]): string {
  return policies.map(resourceOf).join('\n');
}

function resourceOf({ name, document }: { name: string; document: PolicyDocument }): string {
  // A template would take these for its own (developer.hashicorp.com/terraform, "Strings and Templates").
  const json = JSON.stringify(document, null, 2).replaceAll(/[$%](?=\{)/g, (sign) => sign + sign);
  return `resource "aws_iam_policy" "${name.replaceAll('-', '_')}" {\n  name = "${name}"\n\n  policy = <<JSON\n${json}\nJSON\n}\n`;
}
