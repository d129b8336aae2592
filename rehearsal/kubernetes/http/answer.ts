/** An answer of the API server before it is written to the wire. */

export interface Answer {
  code: number;
  body: object;
  /** Name of the object that was made, where the request did not name it. */
  name?: string;
}
