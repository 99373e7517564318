// Package render renders Helm charts and kustomizations in process, with the libraries of Helm and kustomize themselves, and
// leads every place of what was rendered back to the template, values file, base or patch that it came from. It runs no other
// program and reaches no network.
//
// Charts (chart, helm, guard): a chart is rendered with its defaults, with each values file of the run and with each of its
// ci/*-values.yaml, as release NAME-OF-THE-CHART in namespace default of a Kubernetes 1.37 cluster in which lookup finds
// nothing. What has no fixed value (random text, certificates, the time) has one here, so that two runs agree.
//
// Places (instrument, marker, origin, values): each template is rendered twice. The second time is Helm's own rendering, the
// one that is read. The first is of templates to which marks were added: a mark before the first character of each line of
// text, one before what each action prints, one before each key that toYaml makes of a value. A mark is a few characters of
// a private range that no template contains. Where the marked text without its marks is, byte for byte, Helm's, the marks say
// where everything came from. Where it is not (a template that looks at its own text can tell), the place falls back to the
// nearest key of that name in the template.
//
// Kustomizations (kustomize, layers): the outermost ones of a run are built; the place of a field is the last patch that sets
// it, or the base that holds the object.
package render
