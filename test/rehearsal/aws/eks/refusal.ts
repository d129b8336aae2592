/** How the real client sees a refusal of the AWS stand-in, and how it is asked for without one. */

/** The Authorization header of a signed request to a service. */
export const signedFor = (service: string): string =>
  `AWS4-HMAC-SHA256 Credential=A/20250429/eu-central-1/${service}/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`;

/** Name, HTTP status and message of a refusal. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Error && '$metadata' in error) {
      const { httpStatusCode } = error.$metadata as { httpStatusCode?: number };
      return `${httpStatusCode} ${error.name}: ${error.message}`;
    }
    throw error;
  }
  return 'accepted';
}
