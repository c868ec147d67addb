// Package reference makes the page of documentation of all directives from the table of package directive.
package reference
