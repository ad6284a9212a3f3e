// Which elements a formula may be made of: MathML's own, with attributes that only say how it looks. The same sets as the server's.

const MATHML = "http://www.w3.org/1998/Math/MathML";
const TAGS = new Set(("math mrow mi mn mo mtext mspace ms mfrac msqrt mroot mstyle msub msup msubsup munder mover munderover mtable mtr mtd mpadded mphantom"
  + " menclose mmultiscripts mprescripts none").split(" "));
const ATTRS = new Set(("display alttext mathvariant mathcolor mathbackground mathsize displaystyle scriptlevel stretchy fence form separator lspace rspace"
  + " minsize maxsize movablelimits accent linethickness width height depth voffset columnalign columnlines rowlines columnspacing rowspacing notation").split(" "));

/** An empty element of a formula with its attributes, null for a name that is none of MathML's. @param {string} tag @param {Kenny.Attrs} attributes @returns {Element | null} */
export function mathElement(tag, attributes) {
  if (!TAGS.has(tag)) return null;
  const el = document.createElementNS(MATHML, tag);
  for (const [name, value] of Object.entries(attributes ?? {})) if (ATTRS.has(name)) el.setAttribute(name, value);
  return el;
}
