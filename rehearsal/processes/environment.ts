/** The environment of rehearsed processes: the stand-ins' addresses, and nothing that could reach a real account or workspace. */

const STRIPPED =
  /^(AWS_|SLACK_|TEMPORAL_|BELAY_|KUBECONFIG$|NODE_OPTIONS$|NODE_EXTRA_CA_CERTS$|HTTPS?_PROXY$|https?_proxy$|ALL_PROXY$|all_proxy$)/;

/** Inherited variables without those of AWS, Slack, Temporal, Kubernetes and proxies; then `added`. */
export function cleanEnvironment(inherited: NodeJS.ProcessEnv, added: Record<string, string>): NodeJS.ProcessEnv {
  return { ...Object.fromEntries(Object.entries(inherited).filter(([name]) => !STRIPPED.test(name))), ...added };
}
