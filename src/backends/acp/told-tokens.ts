/** What one source says of each prompt. Where it was silent about any, nobody knows all of it from there. */
export class ToldTokens {
  #sum: number | undefined;
  #wasSilent = false;

  add(tokens: number | undefined): void {
    if (tokens === undefined) this.#wasSilent = true;
    else this.#sum = (this.#sum ?? 0) + tokens;
  }

  get all(): number | undefined {
    return this.#wasSilent ? undefined : this.#sum;
  }
}
