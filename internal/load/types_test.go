package load

import "go/types"

type typeName = *types.TypeName

func structOf(obj types.Object) *types.Struct { return obj.Type().Underlying().(*types.Struct) }

// paramType is the name of the type of parameter i of a function.
func paramType(fn types.Object, i int) *types.TypeName {
	return fn.Type().(*types.Signature).Params().At(i).Type().(*types.Named).Obj()
}
