/** How the real client sees a refusal of the AWS stand-in. */

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
