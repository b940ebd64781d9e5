/** Dates in HTML that are not broken at their hyphens, where lines are short. */
export function keepDates(html: string): string {
  return html.replace(/<[^>]*>|\b\d{4}-(?:\d\d(?:-\d\d)?|W\d\d)\b/g, (found) =>
    found.startsWith('<') ? found : `<span class="date">${found}</span>`,
  );
}
