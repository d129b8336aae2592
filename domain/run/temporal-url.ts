/** Link to a run in Temporal UI. */
export function temporalUrl(ui: string, namespace: string, workflowId: string, runId: string): string {
  const path = ['namespaces', namespace, 'workflows', workflowId, runId].map((part) => encodeURIComponent(part.toWellFormed())).join('/');
  return `${ui.replace(/\/+$/, '')}/${path}`;
}
